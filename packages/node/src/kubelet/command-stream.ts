/** A command behind a framed connection. It always reports how it ended, because a client takes silence for success. */
import { Duplex } from "node:stream";
import { createFrameCutter, toFrame } from "../linux/frames.ts";
import { channels, type CommandEnd } from "../linux/protocol.ts";

/** Opens the connection to a command after the client has connected: an error can only be reported as the end of the command. */
export function openCommand(open: () => Duplex): Duplex {
  try {
    return open();
  } catch (thrown) {
    const told = toFrame(channels.exit, endBytes({ error: thrown instanceof Error ? thrown.message : String(thrown) }));
    return new Duplex({
      read() {
        this.push(told);
        this.push(null);
      },
      write: (_chunk, _encoding, done) => done(),
    });
  }
}

/** Receives the frames of a command. */
export interface CommandHearer {
  readonly take: (channel: number, bytes: Buffer) => void;
  /** The command has ended. */
  readonly ended: () => void;
}

/** Reads the frames of a command until it ends. The returned function stops earlier. */
export function hearCommand(inner: Duplex, { take, ended }: CommandHearer): () => void {
  const cut = createFrameCutter();
  let [isTold, isOver] = [false, false];
  inner.on("data", (chunk: Buffer) => {
    for (const { channel, bytes } of cut(chunk)) {
      isTold ||= channel === channels.exit;
      take(channel, bytes);
    }
  });
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    if (!isTold) take(channels.exit, endBytes({ error: "the connection to the command was lost before its end" }));
    ended();
  };
  for (const how of ["end", "error", "close"]) inner.on(how, end);
  return () => {
    isOver = true;
    inner.destroy();
  };
}

function endBytes(end: CommandEnd): Buffer {
  return Buffer.from(JSON.stringify(end));
}
