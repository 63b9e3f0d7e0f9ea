/** Finds code that uses the clock, randomness, the environment or the console where these must be passed in. */
import type { Finding } from "./findings.ts";
import { matches } from "./glob.ts";
import type { Layers } from "./layers.ts";
import { lineAt, type Source, withoutCommentsAndStrings } from "./sources.ts";

const effects: readonly { readonly pattern: RegExp; readonly name: string; readonly cure: string }[] = [
  {
    pattern: /\bprocess\s*\.\s*env\b/g,
    name: "process.env",
    cure: "read the environment once, in main.ts, and hand in what it says",
  },
  {
    pattern: /\bnew Date\(\s*\)|\bDate\.now\(|\bperformance\.now\(/g,
    name: "the clock",
    cure: "take a clock as a parameter",
  },
  {
    pattern: /(?<![.\w])(?:setTimeout|setInterval)\(/g,
    name: "a timer",
    cure: "take a clock as a parameter and use its timers",
  },
  { pattern: /\bMath\.random\(/g, name: "chance", cure: "take a random source as a parameter" },
  { pattern: /(?<![.\w])console\s*\./g, name: "the console", cure: "take a logger as a parameter, or return the text" },
];

export function checkEffects(sources: readonly Source[], layers: Layers): Finding[] {
  return sources
    .filter(({ path }) => !layers.effects.allowed.some((pattern) => matches(pattern, path)))
    .flatMap((source) => {
      const code = withoutCommentsAndStrings(source.text);
      return effects.flatMap(({ pattern, name, cure }) =>
        [...code.matchAll(pattern)].map((match) => ({
          file: source.path,
          line: lineAt(code, match.index),
          problem: `reaches for ${name} (${match[0].trim()})`,
          cure,
        })),
      );
    });
}
