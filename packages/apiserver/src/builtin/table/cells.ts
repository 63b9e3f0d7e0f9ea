/** Table cells that many kinds share: ages, selectors, images, roles. */
import {
  formatLabelSelector,
  fromLabels,
  fromLabelSelectorObject,
  parseTime,
  toMilliseconds,
  type KubeObject,
  type LabelSelectorObject,
} from "@capstan/model";
import { formatAge } from "@capstan/model";

/** The age of an object. */
export function ageOf({ metadata }: KubeObject, now: number): string {
  return sinceCell(metadata.creationTimestamp, now);
}

/** The time since an event. */
export function sinceCell(time: string | undefined, now: number): string {
  if (time === undefined || time === "") return "<unknown>";
  return formatAge(now - toMilliseconds(parseTime(time)));
}

/** A label selector as text. */
export function selectorCell(selector: LabelSelectorObject | undefined): string {
  return orNone(selector === undefined ? "" : formatLabelSelector(fromLabelSelectorObject(selector)));
}

/** Labels as text. */
export function labelsCell(labels: { readonly [key: string]: string } | undefined): string {
  return orNone(labels === undefined ? "" : formatLabelSelector(fromLabels(labels)));
}

/** The text, or `<none>`. */
export function orNone(text: string | undefined): string {
  return text === undefined || text === "" ? "<none>" : text;
}

/** The text, or `<unset>`. */
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
