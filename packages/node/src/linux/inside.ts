/** Collects the output of a command in a container until it ends or times out. */
import type { Socket } from "node:net";
import type { Clock } from "@capstan/client";
import { createFrameCutter } from "./frames.ts";
import { channels, type CommandEnd } from "./protocol.ts";

/** The result of a command. */
export interface InsideResult {
  readonly code: number;
  readonly output: string;
  readonly timedOut: boolean;
  /** Why the command could not be executed, in the words of the program that tried. */
  readonly refused?: string | undefined;
  /** Why the command was not run at all, for example because the container has ended. */
  readonly error?: string | undefined;
}

const longestOutput = 10 * 1024;
/** For commands that have not reported an exit code. */
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
