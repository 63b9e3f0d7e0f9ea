/** What a validator is: a name, the labels it is selected by, and a function from a bundle to findings. */
import type { Bundle } from "../read/bundle.ts";
import type { Finding } from "./finding.ts";

/** What validators are handed beside the bundle. */
export interface ValidatorValues {
  /** `k8s-version`, `index-path`, `container-tools` and the like. */
  readonly values: { readonly [key: string]: string };
  /** Categories that replace the usual ones. */
  readonly categories?: readonly string[];
  /** The text of the file that `index-path` names, or why it cannot be had. */
  readonly indexFile?: { readonly text: string } | { readonly problem: "missing" | "folder"; readonly detail: string };
  /** The platforms of images, by reference; absent for one that could not be looked at. */
  readonly platforms?: ReadonlyMap<string, readonly ImagePlatform[] | { readonly problem: string }>;
}

/** What an image runs on. */
export interface ImagePlatform {
  readonly os: string;
  readonly architecture: string;
}

/** An optional validator. */
export interface Validator {
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  readonly describe: string;
  readonly validate: (bundle: Bundle, values: ValidatorValues) => readonly Finding[];
}
