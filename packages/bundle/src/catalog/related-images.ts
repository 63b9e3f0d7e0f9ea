/** The images that a bundle needs: those it declares, its own, and those of its deployments. */
import type { Json } from "@capstan/model";
import { compareText, isObject, type JsonObject } from "../decode/json.ts";

interface RelatedImage {
  readonly name: string;
  readonly image: string;
}

/** The related images in the order of their references, each once unless the ClusterServiceVersion repeats it. */
export function relatedImagesOf(csv: JsonObject, bundleImage: string): RelatedImage[] {
  const declared = listAt(csv, "spec", "relatedImages").map((item) => ({
    name: textOf(item, "name"),
    image: textOf(item, "image"),
  }));
  const known = new Set(declared.map(({ image }) => image));
  const own = bundleImage !== "" && !known.has(bundleImage) ? [bundleImage] : [];
  const deployed = [...new Set(deployedImages(csv))].filter((image) => !known.has(image));
  return [...declared, ...[...own, ...deployed].map((image) => ({ name: "", image }))].sort((a, b) =>
    compareText(a.image, b.image),
  );
}

function deployedImages(csv: JsonObject): string[] {
  if (textOf(at(csv, "spec", "install"), "strategy") !== "deployment") return [];
  return listAt(csv, "spec", "install", "spec", "deployments").flatMap((deployment) => {
    const pod = at(deployment, "spec", "template", "spec");
    return ["containers", "initContainers"].flatMap((key) => listAt(pod, key).map((one) => textOf(one, "image")));
  });
}

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = value;
  for (const name of path) found = isObject(found) ? found[name] : undefined;
  return found;
}

function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

function textOf(value: Json | undefined, key: string): string {
  const found = at(value, key);
  return typeof found === "string" ? found : "";
}
