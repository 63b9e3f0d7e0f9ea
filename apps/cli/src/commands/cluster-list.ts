/** `capstan cluster list`: the clusters of this user that run. */
import { defineCommand, type Command } from "../command/define.ts";
import { listRecords } from "../embedded/record.ts";
import { outputOption, print } from "../output/print.ts";

/** Lists clusters. */
export const clusterList: Command = defineCommand({
  describe: "One that was killed is not listed.",
  options: { output: outputOption },
  examples: [
    { line: "capstan cluster list", does: "Show the clusters that run" },
    { line: "capstan cluster list -o json", does: "The same for a script" },
  ],
  run: async ({ options: { output }, terminal }) => {
    const records = await listRecords(terminal);
    const rows = records.map(({ name, url, pods, nodes, process: { pid }, data, startedAt }) => [
      name,
      url,
      pods,
      String(nodes),
      String(pid),
      ageOf(startedAt),
      data ?? "",
    ]);
    const titles = ["NAME", "API SERVER", "PODS", "NODES", "PID", "AGE", "DATA"];
    await print({ terminal, output }, { value: records, table: { titles, rows } });
  },
});

/** `5m`, as kubectl writes ages. */
function ageOf(startedAt: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(startedAt)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 180 ? `${minutes}m` : `${Math.floor(minutes / 60)}h`;
}
