/** The table of the slowest test files in CONTRIBUTING.md, from the times that were recorded last. */
import { readFileSync } from "node:fs";
import { readTimes, slowestTable } from "../test/times.ts";
import type { Page } from "./pages.ts";

const file = "CONTRIBUTING.md";
const [begin, end] = ["<!-- slowest test files, generated from test/times.json -->", "<!-- end -->"];

export function slowestTests(): Page[] {
  const text = readFileSync(file, "utf8");
  const [before, rest = ""] = text.split(begin);
  const after = rest.slice(rest.indexOf(end));
  return [{ file, text: `${before}${begin}\n${slowestTable(readTimes())}\n${after}` }];
}
