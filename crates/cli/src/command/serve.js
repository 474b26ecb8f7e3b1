const renew = async () => {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page.querySelector("main");
  const now = document.querySelector("main");
  for (const one of now.querySelectorAll("details[id]")) {
    const same = next.querySelector(`#${one.id}`);
    if (same) same.open = one.open;
  }
  now.replaceWith(next);
  document.title = page.title;
};
let renewing = Promise.resolve();
let waiting = false;
new EventSource(`${location.href}/events`).addEventListener("changed", () => {
  if (waiting) return;
  waiting = true;
  renewing = renewing.then(() => {
    waiting = false;
    return renew();
  }).catch(() => {});
});
