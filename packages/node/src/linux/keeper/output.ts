/** Writes what a container says to its log and shows it to whoever watches; what its launcher says of a failure is not the container's. */
import type { Readable } from "node:stream";
import { createLogEncoder, endOfStream, type OutputStream } from "../cri-log.ts";
import { LogFile } from "./log-file.ts";
import type { PipedChild } from "./pipes.ts";
import { createRefusalSieve } from "./refusal.ts";

/** Whoever wants to see the output as it comes. */
export type Watcher = (stream: OutputStream, chunk: Buffer) => void;

/** Where the output goes. */
export interface OutputOptions {
  /** The file for it. */
  readonly log: string;
  /** The time for logs. */
  readonly time: () => string;
  readonly watchers: ReadonlySet<Watcher>;
  /** How lines begin that may be the launcher's. */
  readonly beginnings: readonly string[];
}

/** The output of a container. */
export interface Output {
  /** Resolves when there is no more to come. */
  readonly heard: Promise<unknown>;
  /** Its program is known to run: all that is said is the program's own. */
  readonly open: () => void;
  /** Writes the rest, and gives the line of the launcher if that is how it ended. */
  readonly end: (beginning: string | undefined) => Promise<string | undefined>;
}

const streams = ["stdout", "stderr"] as const;

/** Listens until the end. */
export function keepOutput(child: Pick<PipedChild, OutputStream>, options: OutputOptions): Output {
  const log = new LogFile(options.log);
  const encoders = streams.map((stream) => createLogEncoder(stream, options.time));
  const sieve = createRefusalSieve(options.beginnings, (channel, chunk) => {
    for (const watch of options.watchers) watch(streams[channel] ?? "stdout", chunk);
    void log.write(encoders[channel]?.(chunk) ?? "");
  });
  const listen = (output: Readable, channel: number): Promise<void> => {
    output.on("data", (chunk: Buffer) => {
      output.pause();
      sieve.take(channel, chunk);
      void log.write("").then(() => output.resume());
    });
    return new Promise((resolve) => output.once("close", resolve));
  };
  return {
    heard: Promise.all(streams.map((stream, channel) => listen(child[stream], channel))),
    open: sieve.open,
    async end(beginning) {
      const refused = sieve.end(beginning);
      for (const encode of encoders) void log.write(endOfStream(encode));
      await log.close();
      return refused;
    },
  };
}
