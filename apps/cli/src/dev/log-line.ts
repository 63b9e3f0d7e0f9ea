/** The operator's log as people read it: JSON lines become a time, a level, who, and what. */
import type { Style } from "../output/style.ts";

/** A line of the log; what is no JSON is shown as it is. */
export function formatLogLine(line: string, { dim, red, yellow, cyan }: Style): string {
  const entry = parse(line);
  if (entry === undefined) return line;
  const { time, level, message, controller, object, key, ...fields } = entry;
  const paint = level === "error" ? red : level === "warn" ? yellow : dim;
  const who = [controller, object ?? key].filter((part) => typeof part === "string").join(" ");
  const rest = Object.entries(fields).map(([name, value]) => dim(` ${name}=`) + formatValue(value));
  return `${dim(clockOf(time))} ${paint(text(level).padEnd(5))} ${who === "" ? "" : `${cyan(who)} `}${text(message)}${rest.join("")}`;
}

function parse(line: string): { readonly [name: string]: unknown } | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as { readonly [name: string]: unknown };
  } catch {
    return undefined;
  }
}

function clockOf(time: unknown): string {
  return /T(\d\d:\d\d:\d\d)/.exec(text(time))?.[1] ?? "";
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Errors show their message and, below, where they came from. */
function formatValue(value: unknown): string {
  if (typeof value === "string") return /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
  if (typeof value === "object" && value !== null && "message" in value) {
    const stack =
      "stack" in value && typeof value.stack === "string" ? value.stack.split("\n").slice(1, 4).join("\n") : "";
    return `${String(value.message)}${stack === "" ? "" : `\n${stack}`}`;
  }
  return JSON.stringify(value) ?? "";
}
