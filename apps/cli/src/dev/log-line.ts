/** The operator's log as people read it: JSON lines become a time, a level, who, and what. */
import type { Style } from "../output/style.ts";
import type { HeardLine } from "./failing.ts";

type Entry = { readonly [name: string]: unknown };

/** Formats the lines of one log. Where an object fails again at the same place, the place is not told again: retries would bury what came first. */
export function logFormatter(style: Style): (line: string) => string {
  const told = new Map<string, string>();
  return (line) => {
    const entry = parse(line);
    if (entry === undefined) return line;
    const who = [entry["controller"], entry["object"]].map(text).join(" ");
    const where = JSON.stringify(entry["error"] ?? "");
    const isToldAgain = entry["error"] !== undefined && told.get(who) === where;
    told.set(who, where);
    return formatEntry(isToldAgain ? { ...entry, error: withoutStack(entry["error"]) } : entry, style);
  };
}

function formatEntry(entry: Entry, { dim, red, yellow, cyan }: Style): string {
  const { time, level, message, controller, object, key, milliseconds, failures, ...fields } = entry;
  const paint = level === "error" ? red : level === "warn" ? yellow : dim;
  const who = [controller, object ?? key].filter((part) => typeof part === "string").join(" ");
  const facts = [...attempt(failures), ...duration(milliseconds)].map((fact) => dim(` ${fact}`));
  const rest = Object.entries(fields).map(([name, value]) => formatField(name, value, { dim, message }));
  return `${dim(clockOf(time))} ${paint(text(level).padEnd(5))} ${who === "" ? "" : `${cyan(who)} `}${text(message)}${facts.join("")}${rest.join("")}`;
}

/** A line about an object. */
export function readObjectLine(line: string): HeardLine | undefined {
  const { level, controller, object, message } = parse(line) ?? {};
  if (typeof controller !== "string" || typeof object !== "string") return undefined;
  return { level: text(level), controller, object, message: text(message) };
}

/** `850 ms`, `2.4 s`, `3 min`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  return milliseconds < 60_000 ? `${(milliseconds / 1_000).toFixed(1)} s` : `${Math.round(milliseconds / 60_000)} min`;
}

function parse(line: string): Entry | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}

/** How often it was tried, where that is more than once. */
function attempt(failures: unknown): readonly string[] {
  return typeof failures === "number" && failures > 0 ? [`attempt ${failures + 1}`] : [];
}

function duration(milliseconds: unknown): readonly string[] {
  return typeof milliseconds === "number" ? [formatDuration(milliseconds)] : [];
}

function clockOf(time: unknown): string {
  return /T(\d\d:\d\d:\d\d)/.exec(text(time))?.[1] ?? "";
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Of an error that was told in the message already, only where it came from is left to say. */
function formatField(name: string, value: unknown, { dim, message }: { dim: Style["dim"]; message: unknown }): string {
  if (isError(value)) {
    const said = value.message === message ? "" : `${dim(` ${name}=`)}${value.message}`;
    return `${said}${framesOf(value)}`;
  }
  return `${dim(` ${name}=`)}${formatValue(value)}`;
}

function isError(value: unknown): value is { readonly message: string; readonly stack?: unknown } {
  return typeof value === "object" && value !== null && "message" in value && typeof value.message === "string";
}

function withoutStack(error: unknown): unknown {
  return isError(error) ? { ...error, stack: "" } : error;
}

/** Where it came from: the lines of the program, which can be mended; those of the framework only where there are no others. */
function framesOf({ stack }: { readonly stack?: unknown }): string {
  const frames = text(stack)
    .split("\n")
    .filter((line) => /^\s+at /.test(line));
  const own = frames.filter(isOfProgram);
  return (own.length === 0 ? frames : own)
    .slice(0, 3)
    .map((frame) => `\n${frame}`)
    .join("");
}

/** The rooms of the framework, where a project uses a checkout of it. */
const rooms = new URL("../../../../packages/", import.meta.url).href;

function isOfProgram(frame: string): boolean {
  return !/node:|\/node_modules\/|\(<anonymous>\)|at new Promise/.test(frame) && !frame.includes(rooms);
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value) ?? "";
}
