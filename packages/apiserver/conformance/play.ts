/** Plays a case against a target and records its responses. */
import { setTimeout } from "node:timers/promises";
import type { Case, Step } from "./case.ts";
import { Normalizer, type Recorded } from "./answer.ts";
import type { Target } from "./target.ts";

/** The compared responses of a case, in order. */
export async function play(target: Target, namespace: string, { steps }: Case): Promise<Recorded[]> {
  const normalizer = new Normalizer(namespace, target.hooks?.url);
  const variables = new Map<string, string>([["ns", namespace]]);
  if (target.hooks !== undefined) variables.set("hook", target.hooks.url).set("hookCa", target.hooks.caBundle);
  const answers: Recorded[] = [];
  await setUp(target, namespace);
  for (const step of steps) {
    const answered = await target.ask({
      method: step.method ?? "GET",
      path: fill(step.path, variables),
      headers: headersOf(step, target),
      body: bodyOf(step, variables),
      lines: step.events,
    });
    if (step.settle !== undefined && target.name === "real") await setTimeout(step.settle);
    const body = parse(answered.text, answered.headers["content-type"] ?? "", step);
    for (const [name, path] of Object.entries(step.keep ?? {})) variables.set(name, String(valueAt(body, path)));
    if (step.quiet !== true) answers.push(normalizer.answer(answered.status, answered.headers, narrowed(body, step)));
  }
  return answers;
}

async function setUp(target: Target, namespace: string): Promise<void> {
  const body = JSON.stringify({ metadata: { name: namespace } });
  const headers = { authorization: `Bearer ${target.tokens.admin}`, "content-type": "application/json" };
  await target.ask({ method: "POST", path: "/api/v1/namespaces", headers, body, lines: undefined });
}

function headersOf(step: Step, target: Target): { [name: string]: string } {
  const as = step.as ?? "admin";
  const token = as === "nobody" ? {} : { authorization: `Bearer ${target.tokens[as]}` };
  return {
    "user-agent": "conformance/1.0",
    accept: step.accept ?? "application/json",
    ...(step.body === undefined ? {} : { "content-type": step.type ?? "application/json" }),
    ...token,
    ...step.headers,
  };
}

function bodyOf({ body }: Step, variables: ReadonlyMap<string, string>): string | undefined {
  if (body === undefined) return undefined;
  return fill(typeof body === "string" ? body : JSON.stringify(body), variables);
}

function fill(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{([a-z][a-zA-Z0-9]*)\}/g, (whole, name: string) => variables.get(name) ?? whole);
}

function parse(text: string, type: string, step: Step): unknown {
  if (step.events !== undefined || step.path.includes("watch=")) {
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map(parseJson);
  }
  return type.startsWith("application/json") ? parseJson(text) : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function narrowed(body: unknown, { only }: Step): unknown {
  if (only === undefined || typeof body !== "object" || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => only.includes(name)));
}

function valueAt(body: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, part) => (value as { [part: string]: unknown } | undefined)?.[part], body);
}
