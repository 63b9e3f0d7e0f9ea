/** Gives a command the option `--out`: what it prints goes to a file. */
import { writeFile } from "node:fs/promises";
import { type Command, defineCommand } from "../command/define.ts";
import { outOption, placeIn } from "./options.ts";

/** The same command with `--out`. */
export function withOut(command: Command): Command {
  return defineCommand({
    ...command,
    options: { ...command.options, out: outOption },
    run: async (call) => {
      const { out } = call.options;
      if (typeof out !== "string") return command.run(call);
      const printed: string[] = [];
      const terminal = { ...call.terminal, out: (text: string): void => void printed.push(text) };
      const code = await command.run({ ...call, terminal });
      await writeFile(placeIn(call.terminal, out), printed.join(""));
      return code;
    },
  });
}
