/** The options of a connection: given in its query, and passed to admission as an object. */
import { apiErrors, formatApiVersion, quote } from "@capstan/model";
import type { AnyDraft } from "../builtin/draft.ts";
import { goTypeOf, type GoType } from "../decode/go-type.ts";
import type { ResourceExchange } from "../exchange.ts";

/** Reads the options that the kind of the connection declares, in their order; other parameters are ignored. */
export function connectOptions(exchange: ResourceExchange): AnyDraft {
  const { subresource, query, resource } = exchange;
  const asked = subresource?.kind ?? resource;
  const apiVersion = formatApiVersion(asked);
  const options: { [name: string]: unknown } = { kind: asked.kind, apiVersion };
  for (const { name, type } of goTypeOf(apiVersion, asked.kind)?.fields ?? []) {
    if (name === "kind" || name === "apiVersion") continue;
    const texts = name === "path" && subresource?.name === "proxy" ? pathBehind(exchange) : query.getAll(name);
    const value = texts.length === 0 ? undefined : valueOf(texts, type);
    if (value !== undefined) options[name] = value;
  }
  return options as unknown as AnyDraft;
}

/** The path behind a proxy, decoded, as kube-apiserver passes it to admission. */
function pathBehind({ info, path }: ResourceExchange): readonly string[] {
  const rest = info.rest.length === 0 ? "" : `/${info.rest.join("/")}`;
  return [path.endsWith("/") && !rest.endsWith("/") ? `${rest}/` : rest];
}

/** Zero values are omitted, as in Go. */
function valueOf(texts: readonly string[], type: GoType): unknown {
  const [first = ""] = texts;
  if (type.type === "list") {
    return type.of.type === "scalar" && type.of.scalar === "int32" ? numbersOf(texts) : [...texts];
  }
  if (type.type === "scalar" && type.scalar === "bool") return isTrue(first) ? true : undefined;
  return first === "" ? undefined : first;
}

/** Every value except false ones means true. */
function isTrue(text: string): boolean {
  return text.toLowerCase() !== "false" && text !== "0";
}

function numbersOf(texts: readonly string[]): number[] {
  return texts.flatMap((text) => text.split(",")).map(numberOf);
}

/** Ports are unsigned integers. */
function numberOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw apiErrors.badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${quote(text)}: invalid syntax`);
}
