/** Shows the current step and its duration: one counting line on a terminal, a line at start and end elsewhere. */

/** Reports one step; `done` is called with how it went. */
export interface Progress {
  step(what: string): Step;
  note(line: string): void;
}

/** A step in progress. */
export interface Step {
  done(result?: string): void;
}

/** The part of a stream that the display needs. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A display on a stream, usually standard error. */
export function showProgress(output: ProgressOutput): Progress {
  return {
    note: (line) => void output.write(`${line}\n`),
    step: (what) => (output.isTTY ? countingStep(what, output) : plainStep(what, output)),
  };
}

/** For callers that want silence. */
export const silentProgress: Progress = { note: () => {}, step: () => ({ done: () => {} }) };

function plainStep(what: string, output: ProgressOutput): Step {
  const begun = performance.now();
  output.write(`${what} ...\n`);
  return { done: (result = "done") => void output.write(`${what}: ${result}, ${seconds(begun)}\n`) };
}

function countingStep(what: string, output: ProgressOutput): Step {
  const begun = performance.now();
  const show = (text: string): void => void output.write(`\r\u001b[K${what} ${text}`);
  show("0 s");
  const timer = setInterval(() => show(seconds(begun)), 1000);
  timer.unref();
  return {
    done: (result = "done") => {
      clearInterval(timer);
      show(`${result}, ${seconds(begun)}\n`);
    },
  };
}

function seconds(begun: number): string {
  return `${((performance.now() - begun) / 1000).toFixed(1)} s`;
}
