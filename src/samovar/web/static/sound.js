// Short sounds of our own making, for those who switch them on. Each tells what can be seen, too.
"use strict";

// What is struck: the height of each tone (Hz), when it begins (s), how long it rings (s), how loud.
const SOUNDS = {
  piece: [[190, 0, 0.09, 0.5], [95, 0, 0.14, 0.5]],
  card: [[1400, 0, 0.03, 0.12], [2100, 0.03, 0.04, 0.1], [500, 0.06, 0.06, 0.2]],
  turn: [[660, 0.12, 0.25, 0.25], [880, 0.26, 0.4, 0.25]],
  end: [[523, 0, 0.3, 0.25], [659, 0.15, 0.3, 0.25], [784, 0.3, 0.35, 0.25], [1047, 0.45, 0.8, 0.25]],
  talk: [[740, 0, 0.08, 0.15], [590, 0.09, 0.12, 0.15]],
};

const sound_button = () => document.getElementById("sound");
const is_loud = () => is_screen || (page.dataset.frame !== "phone" && recall("sound") === "on"); // a screen sounds for all before it
let speaker = null; // browsers let it speak only after somebody has touched the page

function wake_speaker() {
  if (!is_loud() || speaker) return;
  speaker = new AudioContext();
  speaker.resume();
}

function play(name) {
  if (!is_loud() || !speaker) return;
  for (const [height, after, length, loudness] of SOUNDS[name]) ring(height, speaker.currentTime + after, length, loudness);
}

function ring(height, start, length, loudness) {
  const tone = new OscillatorNode(speaker, { type: "triangle", frequency: height });
  const volume = new GainNode(speaker, { gain: 0 });
  volume.gain.setValueAtTime(loudness, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  tone.connect(volume).connect(speaker.destination);
  tone.start(start);
  tone.stop(start + length);
}

// ---- When they are heard

let noticed = {};
function notice() {
  return { turn: page.dataset.turn === "yes", over: has_ended(), remark: remarks_of_others().at(-1)?.dataset.remark };
}

document.addEventListener("samovar:shown", ({ detail }) => {
  const before = noticed;
  noticed = notice();
  if (detail.moved && detail.parts.includes("board")) play(noticed.over && !before.over ? "end" : page.dataset.sound);
  if (noticed.turn && !before.turn) play("turn");
  if (noticed.remark && noticed.remark !== before.remark) play("talk");
});

// Asked once, at the first end that somebody sees here.
function ask_about_sound() {
  const question = document.querySelector(".ask-sound");
  if (question) question.hidden = !window.AudioContext || is_loud() || Boolean(recall("sound-asked"));
}
document.addEventListener("samovar:shown", ask_about_sound);
document.addEventListener("click", (event) => {
  const answer = event.target.closest("[data-sounds]")?.dataset.sounds;
  if (!answer) return;
  keep("sound", answer);
  keep("sound-asked", "yes");
  ask_about_sound();
  show_sound();
  wake_speaker();
  play("end");
  document.querySelector(".page-podium").focus({ preventScroll: true });
});

function show_sound() {
  sound_button().hidden = !window.AudioContext;
  sound_button().setAttribute("aria-pressed", String(is_loud()));
}

document.addEventListener("DOMContentLoaded", () => { // when the other scripts are there
  noticed = notice();
  show_sound();
  ask_about_sound();
  sound_button().addEventListener("click", () => {
    keep("sound-asked", "yes");
    keep("sound", is_loud() ? "off" : "on");
    show_sound();
    wake_speaker();
    play(page.dataset.sound);
  });
  for (const name of ["pointerup", "keydown"]) addEventListener(name, wake_speaker);
});
