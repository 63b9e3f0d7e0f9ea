/** `capstan catalog init`: the blob of a package, with which a catalog begins. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { emptyConfig, formatConfig, type Icon } from "@capstan/bundle";
import { checkDns1123Label } from "@capstan/model";
import { type Command, defineCommand } from "../command/define.ts";
import { atPath } from "../disk-error.ts";
import { CliError } from "../errors.ts";
import { readText } from "../project/disk.ts";

/** Prints the blob. */
export const catalogInit: Command = defineCommand({
  describe: "It prints an olm.package blob; put it into the folder of the catalog.",
  arguments: [{ name: "PACKAGE", describe: "the name of the package", presence: "required" }],
  options: {
    "default-channel": {
      type: "text",
      short: "c",
      value: "CHANNEL",
      default: "",
      describe: "the channel of Subscriptions that name none",
    },
    description: { type: "text", short: "d", value: "FILE", describe: "a file with the description, in Markdown" },
    icon: { type: "text", short: "i", value: "FILE", describe: "a picture: SVG, PNG, JPEG or GIF" },
    output: {
      type: "text",
      short: "o",
      value: "FORMAT",
      choices: ["json", "yaml"],
      default: "json",
      describe: "how to print: json or yaml",
    },
  },
  examples: [
    {
      line: "capstan catalog init app --default-channel stable -o yaml > catalog/app/package.yaml",
      does: "Begin a catalog; then capstan catalog add",
    },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    const problems = checkDns1123Label(name);
    if (problems.length > 0)
      throw new CliError("Usage", `${JSON.stringify(name)} is no name of a package: ${problems.join("; ")}`);
    const at = (file: string): string => resolve(terminal.cwd, file);
    const description = options.description === undefined ? undefined : await readText(at(options.description));
    const icon =
      options.icon === undefined ? undefined : toIcon(await atPath(at(options.icon), readFile(at(options.icon))));
    const blob = {
      name,
      defaultChannel: options["default-channel"],
      ...(icon === undefined ? {} : { icon }),
      ...(description === undefined ? {} : { description }),
      properties: [],
    };
    const config = { ...emptyConfig(), packages: [blob] };
    for (const text of formatConfig(config, options.output === "yaml" ? "yaml" : "json")) terminal.out(text);
  },
});

const beginnings: readonly (readonly [beginning: string, mediatype: string])[] = [
  ["\x89PNG", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF8", "image/gif"],
];

/** Recognizes a picture by its first bytes. */
function toIcon(bytes: Buffer): Icon {
  const text = bytes.toString("latin1");
  const found = beginnings.find(([beginning]) => text.startsWith(beginning))?.[1];
  const mediatype =
    found ??
    (/^\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*(<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/is.test(text)
      ? "image/svg+xml"
      : undefined);
  if (mediatype === undefined) throw new CliError("BadInput", "the icon is not a picture; use SVG, PNG, JPEG or GIF");
  return { base64data: bytes.toString("base64"), mediatype };
}
