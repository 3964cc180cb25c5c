// Sounds made here with WebAudio, from no file.

let context = null;

/** Enables sound: browsers allow it only after a click or tap. */
export function allowSound() {
  if (!navigator.userActivation?.hasBeenActive && !context) return null;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume().catch(() => {});
  return context;
}

/** One soft stroke of a bell that many seconds from now; a short one sounds like wood. */
function stroke(pitch, delay = 0, loudness = 0.25, length = 1.2) {
  const audio = allowSound();
  if (!audio) return;
  const start = audio.currentTime + delay;
  const volume = audio.createGain();
  volume.connect(audio.destination);
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(loudness, start + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + length);
  for (const overtone of [1, 2.4]) {
    const tone = audio.createOscillator();
    tone.frequency.value = pitch * overtone;
    tone.connect(volume);
    tone.start(start);
    tone.stop(start + length + 0.05);
  }
}

/** The sound at the end of a stretch: up when study is done, down when rest is. */
export const chime = (up) => (up ? [523.25, 659.25, 783.99] : [659.25, 523.25]).forEach((pitch, n) => stroke(pitch, n * 0.28));

/** The alarm sounds by name; each takes less than two seconds and is repeated. */
const alarms = {
  bell: () => [0, 0.5].forEach((at) => [880, 659.25].forEach((pitch, n) => stroke(pitch, at + n * 0.22, 0.3))),
  birds: () => [0, 0.09, 0.18, 0.6, 0.69, 0.9, 0.99].forEach((at, n) => stroke(2093 + (n % 3) * 294, at, 0.16, 0.14)),
  wood: () => [0, 0.18, 0.36, 0.72, 0.9].forEach((at, n) => stroke(n % 2 ? 392 : 523.25, at, 0.4, 0.16)),
  none: () => {},
};

export const playAlarm = (name) => alarms[name]();
