/** `capstan cluster logs`: prints the log of a background cluster. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { defineCommand, type Command } from "../command/define.ts";
import { nameOption } from "../embedded/name-option.ts";
import { clusterFolder } from "../embedded/places.ts";
import { files, findRecord } from "../embedded/record.ts";
import { CliError } from "../errors.ts";

/** Prints the log. */
export const clusterLogs: Command = defineCommand({
  describe:
    "The log of one that was killed can be read until it is started again. For the logs of pods use kubectl logs.",
  options: { name: nameOption, follow: { type: "flag", short: "f", describe: "go on while the cluster runs" } },
  progress: "own",
  examples: [
    { line: "capstan cluster logs", does: "Print what the cluster said" },
    { line: "capstan cluster logs -f", does: "And what it says from now on" },
  ],
  run: async ({ options: { name, follow }, terminal }) => {
    const folder = clusterFolder(terminal, name);
    const file = files.log(folder);
    let start = 0;
    for (;;) {
      const isRunning = (await findRecord(folder)) !== undefined;
      const size = await stat(file).then(
        (found) => found.size,
        () => undefined,
      );
      if (size === undefined && start === 0)
        throw new CliError(
          "Cluster",
          `there is no log of a cluster ${name}; capstan cluster list shows those that run`,
        );
      if (size !== undefined && size > start) start = await show(file, start, (text) => terminal.out(text));
      if (!follow || !isRunning) return;
      await wait(200);
    }
  },
});

async function show(file: string, start: number, out: (text: string) => void): Promise<number> {
  let end = start;
  for await (const chunk of createReadStream(file, { start })) {
    const bytes = chunk as Buffer;
    end += bytes.length;
    out(bytes.toString("utf8"));
  }
  return end;
}
