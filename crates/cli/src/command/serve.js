const changes = new EventSource(`${location.pathname}/events`);
const renew = async () => {
  const start = performance.now();
  const answer = await fetch(location.pathname);
  if (!answer.ok) return;
  const text = await answer.text();
  const main = text.slice(text.lastIndexOf("<main>"), text.lastIndexOf("</main>"));
  const next = new DOMParser().parseFromString(main, "text/html").querySelector("main");
  const now = document.querySelector("main");
  for (const one of now.querySelectorAll("details[id]")) {
    const same = next.querySelector(`#${one.id}`);
    if (same) same.open = one.open;
  }
  now.replaceWith(next);
  if (!text.includes("<script ")) changes.close();
  const took = performance.now() - start;
  await new Promise((done) => setTimeout(done, 10 * took));
};
let renewing = Promise.resolve();
let isDue = false;
changes.addEventListener("changed", () => {
  if (isDue) return;
  isDue = true;
  renewing = renewing.then(() => {
    isDue = false;
    return renew();
  }).catch(() => {});
});
