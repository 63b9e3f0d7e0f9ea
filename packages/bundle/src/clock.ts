/** The real timers. Functions take timers as a parameter and use these by default. */

/** Calls a function once after a time, unless it is cancelled before. */
export type StartTimer = (ms: number, act: () => void) => { readonly cancel: () => void };

export const startTimer: StartTimer = (ms, act) => {
  const timer = setTimeout(act, ms);
  timer.unref();
  return { cancel: () => clearTimeout(timer) };
};
