/** The options that name a kind, and what they mean for a project. */
import { builtInGroupVersions } from "@capstan/kinds";
import type { ApiInputs, ImageInputs } from "@capstan/scaffold";
import type { Options } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { checkImage } from "./placement.ts";

/** `--group --version --kind`. */
export const kindOptions = {
  group: { type: "text", value: "GROUP", describe: "the group; the project's domain is added unless it has a dot" },
  version: { type: "text", value: "VERSION", describe: "the version, like v1alpha1" },
  kind: { type: "text", value: "KIND", describe: "the kind, like Memcached" },
} as const satisfies Options;

/** Further options of a new kind. */
export const shapeOptions = {
  plural: { type: "text", value: "PLURAL", describe: "the plural, where the guess is wrong" },
  namespaced: { type: "yes-no", describe: "objects live in a namespace (yes)" },
  image: { type: "text", value: "IMAGE", describe: "make a controller that runs this image as a Deployment" },
  "image-port": { type: "text", value: "PORT", describe: "the port that the image listens on" },
  "image-command": { type: "list", value: "WORDS", describe: "the command to run in the image" },
} as const satisfies Options;

/** The values of these options. */
export interface Shape {
  readonly plural: string | undefined;
  readonly namespaced: boolean | undefined;
  readonly image: string | undefined;
  readonly "image-port": string | undefined;
  readonly "image-command": readonly string[];
}

/** A group as written in CRDs. */
export function fullGroup(group: string, domain: string): string {
  return group.includes(".") ? group : `${group}.${domain}`;
}

/** The inputs of an API that follow from these options. */
export function shapeOf(shape: Shape): Pick<ApiInputs, "scope" | "plural" | "image"> {
  const image = imageOf(shape);
  return {
    scope: shape.namespaced === false ? "Cluster" : "Namespaced",
    ...(shape.plural === undefined ? {} : { plural: shape.plural }),
    ...(image === undefined ? {} : { image }),
  };
}

function imageOf({ image, "image-port": port, "image-command": command, namespaced }: Shape): ImageInputs | undefined {
  if (image === undefined) {
    if (port !== undefined || command.length > 0)
      throw new CliError("Usage", "--image-port and --image-command need --image");
    return undefined;
  }
  if (namespaced === false)
    throw new CliError("Usage", "--image makes a Deployment beside each object, so objects must be namespaced");
  checkImage(image);
  if (port !== undefined && !(/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    throw new CliError("BadInput", `--image-port must be between 1 and 65535, not ${JSON.stringify(port)}`);
  }
  return { image, ...(port === undefined ? {} : { port: Number(port) }), ...(command.length === 0 ? {} : { command }) };
}

/** A built-in kind of Kubernetes; `core` means the group without a name. */
export function builtIn(
  group: string,
  version: string,
  kind: string,
): Pick<ApiInputs, "group" | "scope" | "plural"> | undefined {
  const wanted = group === "core" ? "" : group;
  for (const served of builtInGroupVersions()) {
    if (served.version !== version || (served.group !== wanted && served.group !== `${wanted}.k8s.io`)) continue;
    const resource = served.resources.find((one) => one.kind === kind && !one.name.includes("/"));
    if (resource !== undefined) return { group: served.group, scope: resource.scope, plural: resource.name };
  }
  return undefined;
}
