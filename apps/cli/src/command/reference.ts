/** Prints the help of every command as one Markdown page. */
import type { Entry } from "../commands.ts";
import { styleOf } from "../output/style.ts";
import { formatCommand } from "./help.ts";

/** The width of the help on the page. */
const columns = 120;

/** An exit code and its meaning. */
interface Exit {
  readonly code: number;
  readonly means: string;
}

/** The page: an index by topic, the help of each command, and the exit codes. */
export async function formatReference(commands: readonly Entry[], exits: readonly Exit[]): Promise<string> {
  const topics = [...new Set(commands.map(({ topic }) => topic))];
  const index = topics.map((topic) => {
    const own = commands.filter((each) => each.topic === topic);
    return `${topic}: ${own.map(({ name }) => `[${name}](#capstan-${name.replaceAll(" ", "-")})`).join(", ")}`;
  });
  const style = styleOf({ color: false });
  const sections = await Promise.all(
    commands.map(async (entry) => {
      const page = formatCommand(entry, await entry.load(), { style, columns });
      return `## capstan ${entry.name}\n\n\`\`\`text\n${page.trimEnd()}\n\`\`\``;
    }),
  );
  const codes = exits.map(({ code, means }) => `| ${code} | ${means} |`).join("\n");
  const exitTable = `## Exit codes\n\n| code | meaning |\n|---|---|\n${codes}`;
  return `${["# Commands", "The help of every command. `capstan help reference` prints this page.", ...index, ...sections, exitTable].join("\n\n")}\n`;
}
