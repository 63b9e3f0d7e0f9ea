/** Formats the operator's log for people: a JSON line becomes time, level, source and message. */
import type { Style } from "../output/style.ts";
import type { HeardLine } from "./failing.ts";

type Entry = { readonly [name: string]: unknown };

/**
 * Formats the lines of one log. If an object fails again at the same place, the stack is not repeated: retries would hide earlier lines.
 */
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
  const { level, controller, object, message, error } = parse(line) ?? {};
  if (typeof controller !== "string" || typeof object !== "string") return undefined;
  return { level: text(level), controller, object, message: `${text(message)}${placeOf(error)}` };
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

/** The number of the attempt, if it is not the first. */
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

/** If the message already contains the error, only its origin is added. */
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

/** ` (at src/website.ts:51:33)`: the program's line at which an error was thrown, with its last folder. */
function placeOf(error: unknown): string {
  const frame = isError(error) ? framesIn(error).find(isOfProgram) : undefined;
  if (frame === undefined || !frame.includes("file://")) return "";
  const place = frame.trim().split("/").slice(-2).join("/").replace(")", "");
  return ` (at ${place})`;
}

function withoutStack(error: unknown): unknown {
  return isError(error) ? { ...error, stack: "" } : error;
}

/** The origin of an error: stack frames of the program, or of the framework if there are no others. */
function framesOf(error: { readonly stack?: unknown }): string {
  const frames = framesIn(error);
  const own = frames.filter(isOfProgram);
  return (own.length === 0 ? frames : own)
    .slice(0, 3)
    .map((frame) => `\n${frame}`)
    .join("");
}

function framesIn({ stack }: { readonly stack?: unknown }): readonly string[] {
  return text(stack)
    .split("\n")
    .filter((line) => /^\s+at /.test(line));
}

/** The packages of the framework, if a project uses a checkout. */
const rooms = new URL("../../../../packages/", import.meta.url).href;

function isOfProgram(frame: string): boolean {
  return !/node:|\/node_modules\/|\(<anonymous>\)|at new Promise/.test(frame) && !frame.includes(rooms);
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value) ?? "";
}
