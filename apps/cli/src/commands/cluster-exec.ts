/** `capstan cluster exec`: runs a program of this machine in the network of a cluster. */
import { spawn } from "node:child_process";
import { enterNetwork } from "@capstan/cluster";
import { defineCommand, type Command } from "../command/define.ts";
import { nameOption } from "../embedded/name-option.ts";
import { files, isAlive, needRecord } from "../embedded/record.ts";
import { CliError } from "../errors.ts";

/** Runs a command inside. */
export const clusterExec: Command = defineCommand({
  describe:
    "The program sees the files of this machine, reaches pods and services, finds them by name, and has KUBECONFIG set.",
  rest: "handed on",
  options: { name: nameOption },
  progress: "own",
  examples: [
    { line: "capstan cluster exec -- curl http://web.default.svc", does: "Ask a service by its name" },
    { line: "capstan cluster exec -- node main.ts", does: "Run the operator in development among its pods" },
  ],
  run: async ({ options: { name }, args, rest, terminal }) => {
    const argv = [...args, ...rest];
    if (argv.length === 0) throw new CliError("Usage", "say what to run: capstan cluster exec -- COMMAND");
    const { network, folder } = await needRecord(terminal, name);
    if (network === undefined)
      throw new CliError("Failed", `the pods of the cluster ${name} are simulated: it has no network to enter`);
    if (!isAlive(network.process)) throw new CliError("Cluster", `the network of the cluster ${name} is gone`);
    const [program = "", ...words] = enterNetwork({ pid: network.process.pid, resolvConf: network.names }, argv);
    const env = { KUBECONFIG: files.kubeconfig(folder), ...terminal.env };
    return runToEnd(program, words, { env, cwd: terminal.cwd });
  },
});

/** Runs a program on this terminal; interrupt keys go to the program. */
function runToEnd(
  program: string,
  words: readonly string[],
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<number> {
  const ignore = (): void => {};
  process.on("SIGINT", ignore);
  return new Promise<number>((resolve, reject) => {
    const child = spawn(program, words, { stdio: "inherit", env, cwd });
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    process.on("SIGTERM", pass);
    child.once("error", (cause) => reject(new CliError("Failed", `could not run ${program}: ${cause.message}`)));
    child.once("exit", (code, signal) => {
      process.off("SIGTERM", pass);
      resolve(code ?? 128 + (signal === "SIGKILL" ? 9 : 15));
    });
  }).finally(() => process.off("SIGINT", ignore));
}
