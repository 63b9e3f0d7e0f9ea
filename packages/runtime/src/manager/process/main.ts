/** The process around an operator: is told to stop, outlives what nobody awaited, and ends whatever else still runs in it. */
import { messageOf } from "../../failure.ts";
import type { Log } from "../../log.ts";

/** How long a process goes on after its operator has ended, for what the user's program does then. */
const AFTERWARDS = 1_000;

/** How a process came to its end. */
export type End = "told" | "lost";

/** What a process waits for. */
export interface Waiting {
  /** Resolves when the lease is lost. */
  readonly lost: Promise<unknown>;
  /** How long an operator that is told to stop may take, in milliseconds. */
  readonly gracePeriod: number;
  readonly log: Log;
}

/**
 * Waits until the process is told to stop, or the lease is lost. From then on its time is limited: a replica that lost the lease is
 * neither leader nor candidate, and must make room for one that is.
 */
export async function untilTold({ lost, gracePeriod, log }: Waiting): Promise<End> {
  const told = Promise.withResolvers<End>();
  const onSignal = (signal: NodeJS.Signals): void => {
    log.info("stopping", { signal });
    told.resolve("told");
  };
  process.once("SIGTERM", onSignal);
  process.once("SIGINT", onSignal);
  const end = await Promise.race([told.promise, lost.then((): End => "lost")]);
  process.off("SIGTERM", onSignal);
  process.off("SIGINT", onSignal);
  if (end === "lost") process.exitCode = 1;
  endProcess(end === "lost" ? 0 : gracePeriod);
  return end;
}

/** Ends the process, whatever timers and connections the program has left: soon after so many milliseconds, and earlier if it can. */
export function endProcess(after = 0): void {
  setTimeout(() => process.exit(), after + AFTERWARDS).unref();
}

/** Until it is disposed, a promise that was rejected and that nobody awaits is told, and does not end the process. */
export function outliveRejections(log: Log): Disposable {
  const onRejection = (error: unknown): void => {
    const message = `a promise failed that nobody awaits, and the operator goes on: ${messageOf(error)}. Await it, or catch it.`;
    log.error(message, { error });
  };
  process.on("unhandledRejection", onRejection);
  return { [Symbol.dispose]: () => void process.off("unhandledRejection", onRejection) };
}
