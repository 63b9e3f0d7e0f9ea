/** The metadata of an object, checked as the validation of a kind does it: names, labels, owners, then its finalizers. */
import { checkDns1123Subdomain, type FieldError, type KubeObject } from "@capstan/model";
import { checkMetadataUpdate, checkObjectMetadata, checkStandardFinalizers } from "../../metadata/check.ts";
import type { NameRule } from "../rules.ts";

/** Checks an object of a namespace once more, as a kind does whose update repeats the checks of its creation. */
export function checkNamespaced(object: KubeObject, name: NameRule = "dns-subdomain"): FieldError[] {
  return checkObjectMetadata(object, true, name);
}

/** The same for an object outside of namespaces. */
export function checkClusterScoped(object: KubeObject, name: NameRule = "dns-subdomain"): FieldError[] {
  return checkObjectMetadata(object, false, name);
}

/** Checks the change of metadata, for kinds that do so in a place of their own. */
export function checkChangedMetadata({ metadata }: KubeObject, { metadata: old }: KubeObject): FieldError[] {
  return [...checkMetadataUpdate(metadata, old), ...checkStandardFinalizers(metadata)];
}

/** A subdomain, where nobody looks at the beginning of a name that is still to be generated, and bytes are counted. */
export function finalSubdomain(name: string, isPrefix: boolean): readonly string[] {
  if (isPrefix) return [];
  return checkDns1123Subdomain(name).map((why) =>
    why.replace(/^(must be no more than [0-9]+) characters$/, "$1 bytes"),
  );
}
