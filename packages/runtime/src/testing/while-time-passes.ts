/** Waits for a promise of a test while its world continues. */
import { addCallSite, captureCallSite } from "../report/call-site.ts";
import type { VirtualClock } from "./clock.ts";

/** The number of frames up to the line of the test. */
const frames = 10;

/** The number of rounds after which time no longer passes. */
const maxRounds = 10_000;

/** Lets virtual time pass until the work is done. Errors of servers name the line of the test. */
export async function whileTimePasses<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  // Errors of servers are created in a stack without the lines of the test.
  const site = captureCallSite(frames);
  let isOver = false;
  const watched = work
    .catch((error: unknown) => {
      addCallSite(error, site);
      throw error;
    })
    .finally(() => {
      isOver = true;
    });
  watched.catch(() => undefined);
  for (let round = 0; round < maxRounds && !over(); round++) {
    await clock.quiet();
    if (round > 2 && !over()) await clock.advance(100);
  }
  return await watched;

  function over(): boolean {
    return isOver;
  }
}
