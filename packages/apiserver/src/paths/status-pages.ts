/** /statusz and /flagz: version and flags of the server, as text or as versioned objects. */
import { modeFlagOf } from "../authorize/modes.ts";
import { formatTime, toGoJson, type Json } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { JsonValue } from "../builtin/draft.ts";
import { headerOf } from "../call.ts";
import { parseAccept } from "../encode/accept.ts";
import { toPrettyJson } from "../encode/body.ts";
import { notAcceptableError } from "../encode/media.ts";
import { toYaml } from "../encode/yaml.ts";
import type { Exchange } from "../exchange.ts";
import type { ServerParts } from "../parts.ts";
import { bareText } from "./plain.ts";

const warning =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";

/** Serves /statusz. */
export function serveStatusPage(exchange: Exchange): Answer {
  const { started, clock } = exchange.parts;
  const uptimeSeconds = Math.floor((clock.wall() - started) / 1000);
  return servePage(exchange, {
    kind: "Statusz",
    fields: {
      startTime: formatTime(started),
      uptimeSeconds,
      goVersion: "",
      binaryVersion: "1.36.3",
      emulationVersion: "1.36",
      paths: statusPaths,
    },
    lines: [
      "",
      `Started: ${formatDate(started)}`,
      `Up: ${formatUptime(uptimeSeconds)}`,
      "Go version: ",
      "Binary version: 1.36.3",
      "Emulation version: 1.36",
      `Paths: ${statusPaths.join(" ")}`,
    ],
  });
}

const statusPaths = ["/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"];

/** In the format of `date`. */
function formatDate(time: number): string {
  const [, weekday = "", day = "", month = "", year = "", clock = ""] =
    /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(time).toUTCString()) ?? [];
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${clock} UTC ${year}`;
}

function formatUptime(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}

/** Serves /flagz: the flags of kube-apiserver that describe this server. */
export function serveFlagPage(exchange: Exchange): Answer {
  const flags = flagsOf(exchange.parts);
  const lines = Object.entries(flags).map(([name, value]) => `${name}:${value}`);
  return servePage(exchange, { kind: "Flagz", fields: { flags }, lines });
}

function flagsOf({ authorizer, nodePorts: { first, last } }: ServerParts): { readonly [flag: string]: string } {
  return {
    "allow-privileged": "true",
    "anonymous-auth": "true",
    "authorization-mode": modeFlagOf(authorizer),
    "service-node-port-range": `${first}-${last}`,
  };
}

interface Page {
  readonly kind: "Statusz" | "Flagz";
  readonly fields: { readonly [field: string]: Json };
  readonly lines: readonly string[];
}

/** Text, unless the client asks for a versioned object. */
function servePage({ call }: Exchange, { kind, fields, lines }: Page): Answer {
  const wanted = wantedForm(headerOf(call, "accept") ?? "", kind);
  if (wanted === "text") {
    return bareText(`\napiserver ${kind.toLowerCase()}\n${warning}\n${lines.join("\n")}\n`);
  }
  const { format, version } = wanted;
  const object: Json = { kind, apiVersion: `config.k8s.io/${version}`, metadata: { name: "apiserver" }, ...fields };
  const body = format === "json" ? toPrettyJson(toGoJson(object)) : toYaml(object as JsonValue);
  const old = `299 - "This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version."`;
  return {
    status: 200,
    headers: {
      "content-type": `application/${format};g=config.k8s.io;v=${version};as=${kind}`,
      ...(version === "v1alpha1" ? { warning: old } : {}),
    },
    body,
  };
}

type Form = "text" | { readonly format: "json" | "yaml"; readonly version: string };

function wantedForm(accept: string, kind: string): Form {
  if (accept === "") return "text";
  for (const { type, subtype, parameters } of parseAccept(accept)) {
    if (type === "*" || type === "text") return "text";
    const version = parameters.get("v") ?? "";
    const isNamed = parameters.get("g") === "config.k8s.io" && parameters.get("as") === kind;
    if (type !== "application" || !isNamed || !["v1alpha1", "v1beta1"].includes(version)) continue;
    if (subtype === "json" || subtype === "yaml") return { format: subtype, version };
  }
  throw notAcceptableError(["application/json", "application/yaml", "text/plain"]);
}
