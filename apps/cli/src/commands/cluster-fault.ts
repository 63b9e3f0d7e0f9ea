/** `capstan cluster fault`: cuts, delays and restores network connections of pods and nodes, and stops nodes. */
import type { Fault, FaultTarget } from "@capstan/cluster";
import { defineCommand, type Command } from "../command/define.ts";
import { askCluster } from "../embedded/control.ts";
import { nameOption } from "../embedded/name-option.ts";
import { files, needRecord } from "../embedded/record.ts";
import { CliError } from "../errors.ts";

/** Makes the network or a node fail. */
export const clusterFault: Command = defineCommand({
  describe:
    "A line that is cut loses packets without a word, as a broken cable does; probes of the node still reach its pods. A node that is killed takes its pods with it; healed, it comes back and they start again.",
  arguments: [
    { name: "what", describe: "cut, delay, kill or heal", presence: "required" },
    { name: "target", describe: "a pod, pod/NAME, NAMESPACE/NAME or node/NAME", presence: "optional" },
  ],
  options: {
    name: nameOption,
    namespace: { type: "text", short: "n", value: "NAMESPACE", default: "default", describe: "where the pod is" },
    from: { type: "text", value: "TARGET", describe: "cut only the way to this pod or node" },
    by: { type: "text", value: "MS", default: "100", describe: "milliseconds of delay" },
  },
  examples: [
    { line: "capstan cluster fault cut etcd-0 --from etcd-1", does: "These two do not see each other any more" },
    { line: "capstan cluster fault delay etcd-0 --by 250", does: "What is sent to etcd-0 takes a quarter of a second" },
    { line: "capstan cluster fault kill node/node-2", does: "The node and its pods are gone, as without power" },
    { line: "capstan cluster fault heal", does: "All lines and nodes are as they were" },
  ],
  run: async ({ options: { name, namespace, from, by }, args: [what = "", target], terminal }) => {
    const fault = toFault({ what, target, from, by }, namespace);
    const { folder } = await needRecord(terminal, name);
    terminal.out(`${await askCluster(files.control(folder), { do: "fault", fault })}\n`);
  },
});

interface Words {
  readonly what: string;
  readonly target: string | undefined;
  readonly from: string | undefined;
  readonly by: string;
}

function toFault({ what, target, from, by }: Words, namespace: string): Fault {
  if (from !== undefined && what !== "cut")
    throw new CliError("Usage", `--from says between whom a line is cut: ${what} does not know it`);
  const side = target === undefined ? undefined : toTarget(target, namespace);
  if (what === "heal") return side === undefined ? { do: "heal" } : { do: "heal", target: side };
  if (what !== "cut" && what !== "delay" && what !== "kill")
    throw new CliError("Usage", `say cut, delay, kill or heal, not ${JSON.stringify(what)}`);
  const example = what === "kill" ? "node/NODE" : "POD";
  if (side === undefined) throw new CliError("Usage", `say to whom: capstan cluster fault ${what} ${example}`);
  if (what === "kill") return { do: "kill", target: side };
  if (what === "cut")
    return { do: "cut", target: side, ...(from !== undefined && { from: toTarget(from, namespace) }) };
  if (!/^\d{1,6}$/.test(by)) throw new CliError("Usage", `--by must be milliseconds, not ${JSON.stringify(by)}`);
  return { do: "delay", target: side, milliseconds: Number(by) };
}

function toTarget(word: string, namespace: string): FaultTarget {
  const [first = "", second] = word.split("/");
  if (second === undefined) return { kind: "pod", namespace, name: first };
  if (first === "node") return { kind: "node", name: second };
  return { kind: "pod", namespace: first === "pod" ? namespace : first, name: second };
}
