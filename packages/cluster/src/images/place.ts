/** Where the images of a user are that all of the user's clusters share. */
import { join } from "node:path";

/** The folder, by the rules of the XDG base directories; undefined where no home is known. */
export function localImages(env: { readonly [name: string]: string | undefined }): string | undefined {
  const { XDG_DATA_HOME: data = "", HOME: home = "" } = env;
  if (data !== "") return join(data, "capstan", "images");
  return home === "" ? undefined : join(home, ".local", "share", "capstan", "images");
}
