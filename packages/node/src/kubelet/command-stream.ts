/** A command behind a framed connection, which always tells how it ended: a client takes silence for success. */
import { Duplex } from "node:stream";
import { createFrameCutter, toFrame } from "../linux/frames.ts";
import { channels, type CommandEnd } from "../linux/protocol.ts";

/** Opens a connection whose client is there already: what goes wrong can only be told as the end of the command. */
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

/** Whoever hears a command. */
export interface CommandHearer {
  readonly take: (channel: number, bytes: Buffer) => void;
  /** There is nothing more. */
  readonly ended: () => void;
}

/** Hears a command to its end; what is given back is called by a hearer that leaves before. */
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
