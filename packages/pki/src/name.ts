/** Distinguished names, with the two attributes that Kubernetes uses. */
import { element, objectId, sequence, tag, text } from "./der-writer.ts";
import { childAt, readChildren, readObjectId, readText, type Element } from "./der-reader.ts";
import { attribute } from "./object-ids.ts";

/** The subject of a certificate: for Kubernetes, the user and the groups. */
export interface Name {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** Encodes a name: organizations first, then the common name. */
export function encodeName({ commonName, organizations }: Name): Buffer {
  const entries = [
    ...organizations.map((organization) => entry(attribute.organization, organization)),
    ...(commonName === "" ? [] : [entry(attribute.commonName, commonName)]),
  ];
  return sequence(...entries);
}

/** Decodes a name; other attributes are ignored, the last common name wins. */
export function readName(read: Element): Name {
  const attributes = readChildren(read).flatMap(readChildren).map(readChildren);
  const valuesOf = (id: string) =>
    attributes
      .filter((pair) => readObjectId(childAt(pair, 0, tag.objectId)) === id)
      .map((pair) => readText(childAt(pair, 1)));
  return { commonName: valuesOf(attribute.commonName).at(-1) ?? "", organizations: valuesOf(attribute.organization) };
}

function entry(id: string, value: string): Buffer {
  return element(tag.set, sequence(objectId(id), text(value)));
}
