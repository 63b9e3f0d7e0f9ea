/** The configuration of an operator: a file, the environment and flags, in increasing precedence. Read once, in main. */
import { RuntimeError, toMilliseconds } from "../errors.ts";
import { messageOf } from "../failure.ts";
import type { Level } from "../log.ts";
import { settingsOf } from "@capstan/schema";
import type { Setting } from "@capstan/schema";
import { readOwnSettings } from "./own-settings.ts";
import type { OwnSettings, SettingsSchema } from "./own-settings.ts";

/** All settings. */
export interface Settings {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Namespaces to watch; empty: all of them. */
  readonly namespaces: readonly string[];
  readonly leaderElect: boolean;
  /** The namespace of the lease. Default: the operator's own namespace. */
  readonly leaderElectionNamespace: string | undefined;
  /** `host:port` of the metrics; empty: not served. */
  readonly metricsAddress: string;
  /** Whether metrics are served over TLS and only to authorized requests. */
  readonly metricsSecure: boolean;
  /** `host:port` of health, readiness and explanations; empty: not served. */
  readonly healthAddress: string;
  readonly logLevel: Level;
  /** How long running reconciles may take when the operator stops, in milliseconds. */
  readonly gracePeriod: number;
  /**
   * Whether the operator creates and upgrades its own CRDs before it starts. Default: if it is allowed to. Only "by force" it downgrades
   * a CRD that a later version has applied.
   */
  readonly installCrds: "by force" | "always" | "if allowed" | "never";
  /** A file in which to record watch events, for a replay; undefined: nothing is recorded. */
  readonly recordWatches: string | undefined;
  /** `host:port` of the webhooks; undefined: any address that the API server can reach; empty: not served. */
  readonly webhookAddress: string | undefined;
  /** The URL at which the API server reaches the webhooks, if they have no Service. */
  readonly webhookUrl: string | undefined;
  /** The Service of the webhooks. Default: `<name>-webhook`. */
  readonly webhookService: string | undefined;
  /** A folder with the webhooks' certificate, maintained by an installer that also registers them; undefined: the operator does both. */
  readonly webhookCertDir: string | undefined;
  /** The operator's own settings, if it declares some. */
  readonly own: OwnSettings | undefined;
}

const usual: Settings = {
  kubeconfig: undefined,
  context: undefined,
  namespaces: [],
  leaderElect: false,
  leaderElectionNamespace: undefined,
  metricsAddress: "",
  metricsSecure: true,
  healthAddress: "127.0.0.1:8081",
  logLevel: "info",
  gracePeriod: 30_000,
  installCrds: "if allowed",
  recordWatches: undefined,
  webhookAddress: undefined,
  webhookUrl: undefined,
  webhookService: undefined,
  webhookCertDir: undefined,
  own: undefined,
};

interface Flag {
  readonly about: string;
  readonly read: (text: string) => Partial<Settings>;
}

/** Flags by name, with their parsers. The environment has the same names in capitals: `CAPSTAN_LOG_LEVEL`. */
const flags: { readonly [flag: string]: Flag } = {
  kubeconfig: { about: "the kubeconfig file; the usual places by default", read: (kubeconfig) => ({ kubeconfig }) },
  context: { about: "the context of the kubeconfig", read: (context) => ({ context }) },
  namespaces: {
    about: "namespaces to work in, separated by commas; all by default",
    read: (text) => ({ namespaces: text.split(",").filter((name) => name !== "") }),
  },
  "leader-elect": {
    about: "elect a leader among several replicas",
    read: (text) => ({ leaderElect: toBoolean("leader-elect", text) }),
  },
  "leader-election-namespace": {
    about: "where their lease is; the operator's namespace by default",
    read: (leaderElectionNamespace) => ({ leaderElectionNamespace }),
  },
  "metrics-bind-address": {
    about: "host:port of the metrics; none by default",
    read: (text) => ({ metricsAddress: toAddress(text) }),
  },
  "metrics-secure": {
    about: "serve metrics over TLS with authentication and authorization; true by default",
    read: (text) => ({ metricsSecure: toBoolean("metrics-secure", text) }),
  },
  "health-probe-bind-address": {
    about: "host:port of health and explanations; 127.0.0.1:8081 by default, 0 for none",
    read: (text) => ({ healthAddress: toAddress(text) }),
  },
  "webhook-bind-address": {
    about: "host:port of the webhooks; :9443 in a cluster by default, 0 for none",
    read: (text) => ({ webhookAddress: toAddress(text) }),
  },
  "webhook-url": {
    about: "where the API server reaches the webhooks without a Service",
    read: (text) => ({ webhookUrl: toSecureUrl(text) }),
  },
  "webhook-service": {
    about: "the Service in front of the webhooks; <name>-webhook by default",
    read: (webhookService) => ({ webhookService }),
  },
  "webhook-cert-dir": {
    about: "a folder with tls.crt and tls.key; register the webhooks yourself",
    read: (text) => ({ webhookCertDir: text === "" ? undefined : text }),
  },
  "install-crds": {
    about: "create and upgrade the operator's own CRDs; if it may, by default; force to go back to earlier ones, too",
    read: (text) => ({ installCrds: toInstallation(text) }),
  },
  "record-watches": {
    about: "a file for what watches tell, Secrets too, to be replayed in a test; none by default",
    read: (text) => ({ recordWatches: text === "" ? undefined : text }),
  },
  "log-level": { about: "debug, info, warn or error; info by default", read: (text) => ({ logLevel: toLevel(text) }) },
  "grace-period": {
    about: "how long running work may take when the operator stops; 30s by default",
    read: (text) => ({ gracePeriod: toMilliseconds(text) }),
  },
};

/** The names of the flags that every operator has. */
export const commonFlags: readonly string[] = ["config", "help", ...Object.keys(flags)];

/** The help text. */
export function formatHelp(program: string, schema?: SettingsSchema): string {
  const rows = [
    ["config", "a JSON file of these settings"],
    ...Object.entries(flags).map(([flag, { about }]) => [flag, about]),
  ];
  const own = schema === undefined ? [] : settingsOf(schema.json).map((one) => [one.flag, aboutOwn(one)]);
  const width = Math.max(...[...rows, ...own].map(([flag = ""]) => flag.length));
  const toLines = (all: readonly string[][]): string[] =>
    all.map(([flag = "", about = ""]) => `  --${flag.padEnd(width)}  ${about}`);
  return [
    `Runs the operator ${program} until it is told to stop.`,
    "",
    ...(own.length === 0 ? [] : [`Settings of ${program}:`, ...toLines(own), "", "Settings of every operator:"]),
    ...toLines(rows),
    "",
    "Each can also be set in the environment: --log-level as CAPSTAN_LOG_LEVEL.",
    "",
  ].join("\n");
}

/** What a setting is for, whether it must be set, and where a secret comes from. */
function aboutOwn({ about, isRequired, isSecret, default: usual, env }: Setting): string {
  const given = usual === undefined ? [] : [isSecret ? "has a default" : `${JSON.stringify(usual)} by default`];
  const facts = [about, ...given, ...(isRequired ? ["required"] : []), ...(isSecret ? [`secret: prefer ${env}`] : [])];
  return facts.filter((fact) => fact !== "").join("; ");
}

/** Whether the help was requested. */
export function wantsHelp(args: readonly string[]): boolean {
  return args.some((arg) => arg === "--help" || arg === "-h");
}

/** The sources of settings. */
export interface SettingSources {
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  /** Reads the file that `--config` or `CAPSTAN_CONFIG` names: an object of flags in JSON. */
  readonly readFile: (path: string) => Promise<string>;
  /** The operator's own settings. */
  readonly schema?: SettingsSchema | undefined;
}

/** The settings of this run. The error for an invalid setting names it. */
export async function readSettings({ args, env, readFile, schema }: SettingSources): Promise<Settings> {
  const given = parseArgs(args);
  const path = given.get("config") ?? env["CAPSTAN_CONFIG"];
  given.delete("config");
  const fromFile = path === undefined ? new Map<string, string>() : parseFile(path, await readText(path, readFile));
  const own = new Set(schema === undefined ? [] : settingsOf(schema.json).map(({ flag }) => flag));
  const fromEnv = [...Object.keys(flags), ...own].flatMap((flag) => {
    const text = env[`CAPSTAN_${flag.toUpperCase().replaceAll("-", "_")}`];
    return text === undefined ? [] : [[flag, text] as const];
  });
  const all = [...fromFile, ...fromEnv, ...given];
  const settings = all
    .filter(([flag]) => !own.has(flag))
    .reduce<Settings>((read, [flag, text]) => ({ ...read, ...readOne(flag, text, own) }), usual);
  return schema === undefined ? settings : { ...settings, own: readOwnSettings(schema, new Map(all)) };
}

function readOne(flag: string, text: string, own: ReadonlySet<string>): Partial<Settings> {
  const known = Object.hasOwn(flags, flag) ? flags[flag] : undefined;
  if (known !== undefined) return known.read(text);
  throw new RuntimeError(
    "BadSetting",
    `There is no setting "${flag}". Choose one of ${[...own, ...Object.keys(flags)].join(", ")}.`,
  );
}

/** `--flag value`, `--flag=value`, and `--flag` alone for true. */
function parseArgs(args: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const match = /^--?([a-z][a-z0-9-]*)(?:=(.*))?$/su.exec(arg);
    if (match === null) throw new RuntimeError("BadSetting", `Cannot read the argument "${arg}": write --name=value.`);
    const next = args[at + 1];
    const takesNext = match[2] === undefined && next !== undefined && !next.startsWith("-");
    given.set(match[1] ?? "", match[2] ?? (takesNext ? next : "true"));
    if (takesNext) at++;
  }
  return given;
}

async function readText(path: string, readFile: SettingSources["readFile"]): Promise<string> {
  try {
    return await readFile(path);
  } catch (cause) {
    const message = `Cannot read the settings in ${path}: ${messageOf(cause)}. Check the path.`;
    throw new RuntimeError("BadSetting", message, { cause });
  }
}

function parseFile(path: string, text: string): Map<string, string> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) {
      return new Map(
        Object.entries(parsed).map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : String(value)]),
      );
    }
  } catch (cause) {
    throw new RuntimeError("BadSetting", `Cannot read the settings in ${path}: it is not JSON.`, { cause });
  }
  throw new RuntimeError("BadSetting", `Cannot read the settings in ${path}: write an object of settings.`);
}

function toInstallation(text: string): Settings["installCrds"] {
  if (text === "force") return "by force";
  if (text === "true" || text === "false") return text === "true" ? "always" : "never";
  throw new RuntimeError("BadSetting", `Cannot use "${text}" for install-crds: write true, false or force.`);
}

function toBoolean(flag: string, text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new RuntimeError("BadSetting", `Cannot use "${text}" for ${flag}: write true or false.`);
}

function toLevel(text: string): Level {
  if (text === "debug" || text === "info" || text === "warn" || text === "error") return text;
  throw new RuntimeError("BadSetting", `Cannot use "${text}" for log-level: write debug, info, warn or error.`);
}

/** `0` disables an endpoint, as in controller-runtime; `:8080` means every address. */
function toAddress(text: string): string {
  if (text === "0" || text === "") return "";
  if (/^[^:]*:\d+$|^\[.*\]:\d+$/u.test(text)) return text;
  throw new RuntimeError("BadSetting", `Cannot listen on "${text}": write host:port, :port or 0 for not at all.`);
}

function toSecureUrl(text: string): string {
  if (URL.canParse(text) && new URL(text).protocol === "https:") return text;
  throw new RuntimeError("BadSetting", `Cannot reach webhooks at "${text}": write https://host:port.`);
}
