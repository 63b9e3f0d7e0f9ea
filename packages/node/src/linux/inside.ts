/** Gathers what a command in a container says, until it ends or its time is up. */
import type { Socket } from "node:net";
import type { Clock } from "@capstan/client";
import { createFrameCutter } from "./frames.ts";
import { channels, type CommandEnd } from "./protocol.ts";

/** How a command went. */
export interface InsideResult {
  readonly code: number;
  readonly output: string;
  readonly timedOut: boolean;
  /** Why it could not be run, in the words of whoever tried. */
  readonly refused?: string | undefined;
  /** Why there was nothing to run. */
  readonly error?: string | undefined;
}

const longestOutput = 10 * 1024;
/** Of commands that have not told how they ended. */
const killed = 137;

/** Waits for the end of a command behind a framed connection. */
export function runInside(
  socket: Socket,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<InsideResult> {
  return new Promise((resolve) => {
    let output = "";
    let code = killed;
    let timedOut = false;
    let refused: string | undefined;
    let error: string | undefined;
    const timer =
      timeoutMs === Infinity
        ? undefined
        : clock.later(timeoutMs, () => {
            timedOut = true;
            socket.destroy();
          });
    const cut = createFrameCutter();
    socket.on("data", (chunk: Buffer) => {
      for (const { channel, bytes } of cut(chunk)) {
        if (channel === channels.exit) ({ code = killed, refused, error } = endOf(bytes));
        else if (output.length < longestOutput) output += bytes.toString("utf8");
      }
    });
    socket.on("error", () => {});
    socket.on("end", () => socket.end());
    socket.once("close", () => {
      timer?.cancel();
      resolve({ code, output, timedOut, refused, error });
    });
  });
}

function endOf(bytes: Buffer): CommandEnd {
  return JSON.parse(bytes.toString("utf8")) as CommandEnd;
}
