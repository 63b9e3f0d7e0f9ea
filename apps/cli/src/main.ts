/** The capstan command: finds the command that was named and runs it. */

/** A command takes its arguments and answers with an exit code when it is done. */
type Command = (args: readonly string[]) => Promise<number>;

/** Each command is loaded when it is asked for, so that none waits for the others. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  apiserver: async () => (await import("./commands/apiserver.ts")).apiserver,
};

const [name = "", ...args] = process.argv.slice(2);
const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (load === undefined) {
  const problem = name === "" ? "name a command" : `there is no command ${JSON.stringify(name)}`;
  process.stderr.write(`capstan: ${problem}; there are: ${Object.keys(commands).join(", ")}\n`);
  process.exitCode = 2;
} else process.exitCode = await (await load())(args);
