/* In a frame that is as large as a screen: what of this page, or of its slides, is cut off. Python
 * fills in NAME, what the frame is called.
 */
/* global NAME */
"use strict";

addEventListener("load", async () => {
  const wait = (time) => new Promise((done) => { setTimeout(done, time); });
  const wide = document.documentElement.clientWidth;
  const found = [];
  const cellOf = (element) => Number(element.closest("[id^='cell-id=cell-']")?.id.split("-").at(-1) ?? 0);
  const wordsOf = (element) => (element?.innerText || element?.getAttribute("alt") || "").trim().slice(0, 50);
  const scrolls = (element) => {
    for (let at = element.parentElement; at && at !== document.body; at = at.parentElement)
      if (getComputedStyle(at).overflowX !== "visible") return true;
    return false;
  };
  const end = (element) => element.getBoundingClientRect().right;
  await wait(1500); // players and quizzes wake up
  const slides = [...document.querySelectorAll("section.slide")];
  if (!slides.length && document.documentElement.scrollWidth > wide + 1) {
    const over = [...document.body.querySelectorAll("*")].filter((each) => end(each) > wide + 1 && !scrolls(each));
    const outermost = over.filter((each) => !over.some((other) => other !== each && other.contains(each)));
    for (const each of outermost) found.push([cellOf(each), wordsOf(each), Math.round(end(each))]);
  }
  for (const [i, slide] of slides.entries()) {
    location.hash = `#${i + 1}`;
    await wait(150);
    dispatchEvent(new Event("resize")); // what woke up after the deck fitted the slide is fitted in
    await wait(50);
    const low = [...slide.querySelector(".body").children].map((each) => each.getBoundingClientRect().bottom);
    const cut = [...slide.querySelectorAll(".figure:not([data-alone])")].map((each) => each.scrollHeight - each.clientHeight);
    const missing = Math.max(0, ...low.map((each) => each - slide.getBoundingClientRect().bottom), ...cut);
    const aside = slide.scrollWidth - slide.clientWidth;
    if (missing > 2 || aside > 1) found.push([0, wordsOf(slide.querySelector("h1, h2")), Math.round(Math.max(missing, aside))]);
  }
  parent.postMessage(JSON.stringify([NAME, found]), "*");
});
