/** Writes the output of a container to its log and to attached clients; error messages of its launcher are kept apart. */
import type { Readable } from "node:stream";
import { createLogEncoder, endOfStream, type OutputStream } from "../cri-log.ts";
import { LogFile } from "./log-file.ts";
import type { PipedChild } from "./pipes.ts";
import { createExecErrorFilter } from "./exec-error.ts";

/** Receives the output as it arrives. */
export type Watcher = (stream: OutputStream, chunk: Buffer) => void;

export interface OutputOptions {
  readonly log: string;
  /** The time for logs. */
  readonly time: () => string;
  readonly watchers: ReadonlySet<Watcher>;
  /** The prefixes of lines that may come from the launcher. */
  readonly beginnings: readonly string[];
}

/** The output of a container. */
export interface Output {
  /** Resolves at the end of the output. */
  readonly drained: Promise<unknown>;
  /** The program is known to run: all further output is its own. */
  readonly open: () => void;
  /** Writes the remaining output, and returns the launcher's line if the start failed with one. */
  readonly end: (beginning: string | undefined) => Promise<string | undefined>;
}

const streams = ["stdout", "stderr"] as const;

/** Reads the output until its end. */
export function keepOutput(child: Pick<PipedChild, OutputStream>, options: OutputOptions): Output {
  const log = new LogFile(options.log);
  const encoders = streams.map((stream) => createLogEncoder(stream, options.time));
  const filter = createExecErrorFilter(options.beginnings, (channel, chunk) => {
    for (const watch of options.watchers) watch(streams[channel] ?? "stdout", chunk);
    void log.write(encoders[channel]?.(chunk) ?? "");
  });
  const listen = (output: Readable, channel: number): Promise<void> => {
    output.on("data", (chunk: Buffer) => {
      output.pause();
      filter.take(channel, chunk);
      void log.write("").then(() => output.resume());
    });
    return new Promise((resolve) => output.once("close", resolve));
  };
  return {
    drained: Promise.all(streams.map((stream, channel) => listen(child[stream], channel))),
    open: filter.open,
    async end(beginning) {
      const refused = filter.end(beginning);
      for (const encode of encoders) void log.write(endOfStream(encode));
      await log.close();
      return refused;
    },
  };
}
