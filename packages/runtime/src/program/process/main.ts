/** The process of an operator: handles signals, survives unhandled rejections, and ends whatever else still runs in it. */
import { messageOf } from "../../failure.ts";
import type { Log } from "../../log.ts";

/** How long a process continues after its operator has ended, for code of the user's program that runs then, in milliseconds. */
const AFTERWARDS = 1_000;

/** Why a process ended: a signal, or a lost lease. */
export type End = "signal" | "lost";

export interface Waiting {
  /** Resolves when the lease is lost. */
  readonly lost: Promise<unknown>;
  /** The grace period of a stop, in milliseconds. */
  readonly gracePeriod: number;
  readonly log: Log;
}

/**
 * Waits for a signal, or for the loss of the lease. From then on its time is limited: a replica that lost the lease is neither leader nor
 * candidate, and must be restarted.
 */
export async function untilEnded({ lost, gracePeriod, log }: Waiting): Promise<End> {
  const ended = Promise.withResolvers<End>();
  const onSignal = (signal: NodeJS.Signals): void => {
    log.info("stopping", { signal });
    ended.resolve("signal");
  };
  process.once("SIGTERM", onSignal);
  process.once("SIGINT", onSignal);
  const end = await Promise.race([ended.promise, lost.then((): End => "lost")]);
  process.off("SIGTERM", onSignal);
  process.off("SIGINT", onSignal);
  if (end === "lost") process.exitCode = 1;
  endProcess(end === "lost" ? 0 : gracePeriod);
  return end;
}

/**
 * Ends the process, whatever timers and connections the program has left: about so many milliseconds later, or earlier if nothing keeps
 * it alive.
 */
export function endProcess(after = 0): void {
  setTimeout(() => process.exit(), after + AFTERWARDS).unref();
}

/** Until it is disposed, unhandled rejections are logged and do not end the process. */
export function outliveRejections(log: Log): Disposable {
  const onRejection = (error: unknown): void => {
    const message = `a promise that is not awaited failed, and the operator continues: ${messageOf(error)}. Await it, or catch it.`;
    log.error(message, { error });
  };
  process.on("unhandledRejection", onRejection);
  return { [Symbol.dispose]: () => void process.off("unhandledRejection", onRejection) };
}
