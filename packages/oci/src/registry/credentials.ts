/** Credentials for a registry: Docker's configuration file and its credential helpers. */
import { Buffer } from "node:buffer";

/** A name and password, or a token that stands for both. */
export type Credentials =
  | { readonly type: "password"; readonly username: string; readonly password: string }
  | { readonly type: "token"; readonly token: string };

/** Finds credentials for a registry; undefined: anonymous. */
export type CredentialSource = (registry: string) => Promise<Credentials | undefined>;

/** The relevant parts of `~/.docker/config.json`. */
export interface DockerConfig {
  readonly auths?: {
    readonly [registry: string]: {
      readonly auth?: string;
      readonly username?: string;
      readonly password?: string;
      readonly identitytoken?: string;
    };
  };
  readonly credHelpers?: { readonly [registry: string]: string };
  readonly credsStore?: string;
}

/** Runs `docker-credential-<name> get` with the registry on its standard input; passed in, so that tests can replace it. */
export type RunHelper = (
  name: string,
  registry: string,
) => Promise<{ readonly Username: string; readonly Secret: string } | undefined>;

export function fromDockerConfig(config: DockerConfig, runHelper: RunHelper): CredentialSource {
  return async (registry) => {
    const names = namesOf(registry);
    const known = names.find((name) => config.credHelpers?.[name] !== undefined);
    const helper = known === undefined ? config.credsStore : config.credHelpers?.[known];
    const found = helper === undefined ? undefined : await runHelper(helper, known ?? names[0] ?? registry);
    if (found !== undefined)
      return found.Username === "<token>"
        ? { type: "token", token: found.Secret }
        : { type: "password", username: found.Username, password: found.Secret };
    return fromAuths(config, registry);
  };
}

/** The names of a registry in stored logins, the usual one first; Docker Hub uses the name of its predecessor. */
function namesOf(registry: string): readonly string[] {
  return registry === "docker.io"
    ? ["https://index.docker.io/v1/", "index.docker.io", "docker.io"]
    : [registry, `https://${registry}`, `https://${registry}/`, `http://${registry}`];
}

function fromAuths({ auths = {} }: DockerConfig, registry: string): Credentials | undefined {
  const entry = namesOf(registry)
    .map((name) => auths[name])
    .find((one) => one !== undefined);
  if (entry === undefined) return undefined;
  if (entry.identitytoken !== undefined && entry.identitytoken !== "")
    return { type: "token", token: entry.identitytoken };
  const decoded = Buffer.from(entry.auth ?? "", "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  const username = entry.username ?? (colon === -1 ? undefined : decoded.slice(0, colon));
  const password = entry.password ?? (colon === -1 ? undefined : decoded.slice(colon + 1));
  return username === undefined || password === undefined ? undefined : { type: "password", username, password };
}
