/** Refuses names of images and namespaces that no cluster would take, before they stand in a hundred lines of YAML. */
import { checkDns1123Label } from "@capstan/model";
import { parseReference } from "@capstan/oci";
import { CliError } from "../errors.ts";

/** The name of an image, if it is one. */
export function checkImage<T extends string | undefined>(image: T): T {
  if (image !== undefined) parseReference(image);
  return image;
}

/** The name of a namespace, if it is one. */
export function checkNamespace<T extends string | undefined>(namespace: T): T {
  if (namespace !== undefined && checkDns1123Label(namespace).length > 0) {
    throw new CliError(
      "BadInput",
      `${JSON.stringify(namespace)} cannot name a namespace: use up to 63 lower-case letters, digits and dashes`,
    );
  }
  return namespace;
}
