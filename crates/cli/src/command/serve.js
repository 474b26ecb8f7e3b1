const renew = async () => {
  const answer = await fetch(location.href);
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
};
let renewing = Promise.resolve();
let isDue = false;
new EventSource(`${location.href}/events`).addEventListener("changed", () => {
  if (isDue) return;
  isDue = true;
  renewing = renewing.then(() => {
    isDue = false;
    return renew();
  }).catch(() => {});
});
