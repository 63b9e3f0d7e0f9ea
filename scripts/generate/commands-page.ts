/** docs/reference/commands.md: the help of every command, printed by the command itself. */
import { execFileSync } from "node:child_process";
import type { Page } from "./pages.ts";

/** The page. */
export function commandsPage(): Page[] {
  const args = ["--conditions=@capstan/source", "apps/cli/src/main.ts", "help", "reference"];
  const text = execFileSync(process.execPath, args, { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
  return [{ file: "docs/reference/commands.md", text }];
}
