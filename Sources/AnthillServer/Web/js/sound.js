// Sounds made here with WebAudio, from no file.

let context = null;

/** Makes sounds possible: browsers allow them only once the person has pressed something. */
export function allowSound() {
  if (!navigator.userActivation?.hasBeenActive && !context) return null;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume().catch(() => {});
  return context;
}

/** One soft stroke of a bell, so many seconds from now. */
export function stroke(pitch, delay = 0, loudness = 0.25) {
  const audio = allowSound();
  if (!audio) return;
  const start = audio.currentTime + delay;
  const volume = audio.createGain();
  volume.connect(audio.destination);
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(loudness, start + 0.01);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + 1.2);
  for (const overtone of [1, 2.4]) {
    const tone = audio.createOscillator();
    tone.frequency.value = pitch * overtone;
    tone.connect(volume);
    tone.start(start);
    tone.stop(start + 1.25);
  }
}

/** The sound at the end of a stretch: up when study is done, down when rest is. */
export const chime = (up) => (up ? [523.25, 659.25, 783.99] : [659.25, 523.25]).forEach((pitch, n) => stroke(pitch, n * 0.28));
