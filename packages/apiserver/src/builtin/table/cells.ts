/** Cells that many kinds print: ages, selectors, images, roles. */
import {
  formatLabelSelector,
  fromLabels,
  fromLabelSelectorObject,
  parseTime,
  toMilliseconds,
  type KubeObject,
  type LabelSelectorObject,
} from "@capstan/model";
import { formatAge } from "../../encode/age.ts";

/** How long ago an object was made. */
export function ageOf({ metadata }: KubeObject, now: number): string {
  return sinceCell(metadata.creationTimestamp, now);
}

/** How long ago something happened. */
export function sinceCell(time: string | undefined, now: number): string {
  if (time === undefined || time === "") return "<unknown>";
  return formatAge(now - toMilliseconds(parseTime(time)));
}

/** A selector of labels, as one text. */
export function selectorCell(selector: LabelSelectorObject | undefined): string {
  return orNone(selector === undefined ? "" : formatLabelSelector(fromLabelSelectorObject(selector)));
}

/** Labels that must match, as one text. */
export function labelsCell(labels: { readonly [key: string]: string } | undefined): string {
  return orNone(labels === undefined ? "" : formatLabelSelector(fromLabels(labels)));
}

/** A text, or the word for nothing. */
export function orNone(text: string | undefined): string {
  return text === undefined || text === "" ? "<none>" : text;
}

/** A text, or the word for nothing that is known. */
export function orUnset(text: string | undefined): string {
  return text === undefined || text === "" ? "<unset>" : text;
}

interface Named {
  readonly name: string;
  readonly image?: string;
}

/** The names of containers and their images, as two cells. */
export function containerCells(containers: readonly Named[] = []): [names: string, images: string] {
  return [containers.map(({ name }) => name).join(","), containers.map(({ image = "" }) => image).join(",")];
}
