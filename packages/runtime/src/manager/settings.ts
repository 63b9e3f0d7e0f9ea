/** How an operator is configured: by a file, the environment and flags, each over the one before. Read once, in main. */
import { RuntimeError, toMilliseconds } from "../errors.ts";
import type { Level } from "../log.ts";

/** Everything that can be set from outside. */
export interface Settings {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Namespaces to watch; empty: all of them. */
  readonly namespaces: readonly string[];
  readonly leaderElect: boolean;
  /** Where the lease is; the operator's own namespace unless said otherwise. */
  readonly leaderElectionNamespace: string | undefined;
  /** `host:port` of the metrics; empty: none. */
  readonly metricsAddress: string;
  /** Whether metrics are served over TLS and only to those who may read them. */
  readonly metricsSecure: boolean;
  /** `host:port` of health, readiness and explanations; empty: none. */
  readonly healthAddress: string;
  readonly logLevel: Level;
  /** How long running turns may take when the operator stops, in milliseconds. */
  readonly gracePeriod: number;
  /** Create or upgrade the operator's own CRDs before it starts. */
  readonly installCrds: boolean;
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
  installCrds: false,
};

/** Flags by name, with how their text is read. The environment has the same in capitals: `CAPSTAN_LOG_LEVEL`. */
const flags: { readonly [flag: string]: (text: string) => Partial<Settings> } = {
  kubeconfig: (kubeconfig) => ({ kubeconfig }),
  context: (context) => ({ context }),
  namespaces: (text) => ({ namespaces: text.split(",").filter((name) => name !== "") }),
  "leader-elect": (text) => ({ leaderElect: toBoolean("leader-elect", text) }),
  "leader-election-namespace": (leaderElectionNamespace) => ({ leaderElectionNamespace }),
  "metrics-bind-address": (text) => ({ metricsAddress: toAddress(text) }),
  "metrics-secure": (text) => ({ metricsSecure: toBoolean("metrics-secure", text) }),
  "health-probe-bind-address": (text) => ({ healthAddress: toAddress(text) }),
  "log-level": (text) => ({ logLevel: toLevel(text) }),
  "grace-period": (text) => ({ gracePeriod: toMilliseconds(text) }),
  "install-crds": (text) => ({ installCrds: toBoolean("install-crds", text) }),
};

/** Where settings come from. */
export interface SettingSources {
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  /** Reads the file that `--config` or `CAPSTAN_CONFIG` names: an object of flags in JSON. */
  readonly readFile: (path: string) => Promise<string>;
}

/** The settings of this run. A setting that makes no sense is an error that names it. */
export async function readSettings({ args, env, readFile }: SettingSources): Promise<Settings> {
  const given = parseArgs(args);
  const path = given.get("config") ?? env["CAPSTAN_CONFIG"];
  given.delete("config");
  const fromFile = path === undefined ? new Map<string, string>() : parseFile(path, await readFile(path));
  const fromEnv = Object.keys(flags).flatMap((flag) => {
    const text = env[`CAPSTAN_${flag.toUpperCase().replaceAll("-", "_")}`];
    return text === undefined ? [] : [[flag, text] as const];
  });
  return [...fromFile, ...fromEnv, ...given].reduce<Settings>(
    (settings, [flag, text]) => ({ ...settings, ...read(flag, text) }),
    usual,
  );
}

function read(flag: string, text: string): Partial<Settings> {
  const reader = flags[flag];
  if (reader !== undefined) return reader(text);
  throw new RuntimeError(
    "BadSetting",
    `There is no setting "${flag}". Choose one of ${Object.keys(flags).join(", ")}.`,
  );
}

/** `--flag value`, `--flag=value`, and `--flag` alone for true. */
function parseArgs(args: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const match = /^--?([a-z-]+)(?:=(.*))?$/u.exec(arg);
    if (match === null) throw new RuntimeError("BadSetting", `Cannot read the argument "${arg}": write --name=value.`);
    const next = args[at + 1];
    const takesNext = match[2] === undefined && next !== undefined && !next.startsWith("-");
    given.set(match[1] ?? "", match[2] ?? (takesNext ? next : "true"));
    if (takesNext) at++;
  }
  return given;
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

function toBoolean(flag: string, text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new RuntimeError("BadSetting", `Cannot use "${text}" for ${flag}: write true or false.`);
}

function toLevel(text: string): Level {
  if (text === "debug" || text === "info" || text === "warn" || text === "error") return text;
  throw new RuntimeError("BadSetting", `Cannot use "${text}" for log-level: write debug, info, warn or error.`);
}

/** `0` switches a door off, as in controller-runtime; `:8080` means every address. */
function toAddress(text: string): string {
  if (text === "0" || text === "") return "";
  if (/^[^:]*:\d+$|^\[.*\]:\d+$/u.test(text)) return text.startsWith(":") ? `0.0.0.0${text}` : text;
  throw new RuntimeError("BadSetting", `Cannot listen on "${text}": write host:port, :port or 0 for not at all.`);
}
