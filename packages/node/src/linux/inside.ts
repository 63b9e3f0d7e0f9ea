/** Gathers what a command in a container says, until it ends or its time is up. */
import type { Socket } from "node:net";
import type { Clock } from "@capstan/client";
import { createFrameCutter } from "./frames.ts";
import { channels } from "./protocol.ts";

/** How a command went. */
export interface InsideResult {
  readonly code: number;
  readonly output: string;
  readonly timedOut: boolean;
}

const longestOutput = 10 * 1024;

/** Waits for the end of a command behind a framed connection. */
export function runInside(
  socket: Socket,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<InsideResult> {
  return new Promise((resolve) => {
    let output = "";
    let code = 137;
    let timedOut = false;
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
        if (channel === channels.exit) code = exitCodeOf(bytes);
        else if (output.length < longestOutput) output += bytes.toString("utf8");
      }
    });
    socket.on("error", () => {});
    socket.on("end", () => socket.end());
    socket.once("close", () => {
      timer?.cancel();
      resolve({ code, output, timedOut });
    });
  });
}

/** The code in the last frame; a command that could not be run at all has none. */
export function exitCodeOf(bytes: Buffer): number {
  const { code } = JSON.parse(bytes.toString("utf8")) as { readonly code?: number | null };
  return code ?? 137;
}
