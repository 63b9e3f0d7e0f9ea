/** The error of every parser in this package: the expected form, and the actual text. */

/** The form that could not be parsed. */
export type ParseErrorCode =
  | "InvalidApiVersion"
  | "InvalidDuration"
  | "InvalidFieldSelector"
  | "InvalidIntOrString"
  | "InvalidLabelSelector"
  | "InvalidQuantity"
  | "InvalidTime";

/** A malformed text; the message is that of kube-apiserver. */
export class ParseError extends Error {
  override readonly name = "ParseError";
  readonly code: ParseErrorCode;
  readonly input: string;

  constructor(code: ParseErrorCode, input: string, message: string) {
    super(message);
    this.code = code;
    this.input = input;
  }
}
