/** The images of an operator: those that its pods run, and those that it hands to others; pinned by digest where that is wanted. */
import type { Json } from "@capstan/model";
import { isObject, type JsonObject } from "../decode/json.ts";
import { BundleError } from "../errors.ts";
import { textAt } from "../read/object.ts";
import { listAt, type Manifest, nameOf, specOf } from "./manifest.ts";

/** An image and what it is called. */
export interface RelatedImage {
  readonly name: string;
  readonly image: string;
}

const prefix = "RELATED_IMAGE_";

/** The images that deployments name in `RELATED_IMAGE_*`. */
function relatedImages(deployments: readonly Manifest[]): RelatedImage[] {
  const found: (RelatedImage & { readonly place: string })[] = [];
  for (const deployment of deployments) {
    const containers = containersOf(deployment);
    for (const container of containers) {
      const place = containers.length > 1 ? `${nameOf(deployment)}-${textAt(container, "name")}` : nameOf(deployment);
      for (const variable of listAt(container, "env").filter((one) => textAt(one, "name").startsWith(prefix))) {
        if (variable["valueFrom"] !== undefined)
          throw new BundleError(
            "BadFacts",
            `${textAt(variable, "name")} of ${place} has no value of its own; name the image there`,
          );
        const name = textAt(variable, "name").slice(prefix.length).replaceAll("_", "-").toLowerCase();
        const image = textAt(variable, "value");
        if (!found.some((one) => one.name === name && one.image === image)) found.push({ name, image, place });
      }
    }
  }
  return found
    .filter(({ image }, at) => found.findIndex((one) => one.image === image) === at)
    .map(({ name, image, place }) => ({
      image,
      name: found.filter((one) => one.name === name).length > 1 ? `${place}-${name}` : name,
    }));
}

/** The related images. If there are any, they include the images of the pods, so that all can be mirrored. */
export function allImages(deployments: readonly Manifest[]): RelatedImage[] {
  const related = relatedImages(deployments);
  return related.length === 0 ? [] : withRunning(related, deployments);
}

function withRunning(related: readonly RelatedImage[], deployments: readonly Manifest[]): RelatedImage[] {
  const running = deployments.flatMap((one) =>
    containersOf(one).map((container) => ({ name: textAt(container, "name"), image: textAt(container, "image") })),
  );
  return [...related, ...running].filter(
    ({ image }, at, list) => image !== "" && list.findIndex((one) => one.image === image) === at,
  );
}

/** The containers of a deployment's pods. */
export function containersOf(deployment: Manifest): JsonObject[] {
  const template = specOf(deployment)["template"];
  const spec = isObject(template) && isObject(template["spec"]) ? template["spec"] : {};
  return [...listAt(spec, "containers"), ...listAt(spec, "initContainers")];
}

/** Finds the digest of an image: the same reference with `@sha256:...`. */
export type PinImage = (image: string) => Promise<string>;

/** Pins every image of the deployments, and lists them all. */
export async function pinImages(
  deployments: readonly Manifest[],
  pin: PinImage,
): Promise<{ readonly deployments: Manifest[]; readonly images: RelatedImage[] }> {
  const all = withRunning(relatedImages(deployments), deployments);
  const pinned = new Map<string, string>();
  for (const { image } of all) pinned.set(image, image.includes("@sha256:") ? image : await pin(image));
  const images = all.map(({ name, image }) => ({ name, image: pinned.get(image) ?? image }));
  return { deployments: deployments.map((one) => replaceImages(one, pinned) as Manifest), images };
}

/** Images are texts under `image`, or values of `RELATED_IMAGE_*`. */
function replaceImages(value: Json, pinned: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => replaceImages(one, pinned));
  if (!isObject(value)) return value;
  const isRelated = textAt(value, "name").startsWith(prefix);
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const isImage = typeof one === "string" && (key === "image" || (isRelated && key === "value"));
      return [key, isImage ? (pinned.get(one) ?? one) : replaceImages(one, pinned)];
    }),
  );
}
