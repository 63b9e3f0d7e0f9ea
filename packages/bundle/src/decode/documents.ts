/** Reads the documents of a YAML text with the indentation rules of Go's YAML library, which kubectl and the operator framework use. */
import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  Lexer,
  LineCounter,
  type ParsedNode,
  type ParseOptions,
  Parser,
  type SchemaOptions,
} from "yaml";

/** The options of the YAML library. */
export type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/** A document with its errors; each error names its line and column. */
export type YamlDocument = Document.Parsed<ParsedNode>;

/** All documents of a text. An empty text has none. */
export function readYamlDocuments(text: string, options: YamlOptions = {}): YamlDocument[] {
  return [...compose(text, options, false)];
}

/** The first document of a text. An empty text has an empty one. */
export function readYamlDocument(text: string, options: YamlOptions = {}): YamlDocument {
  for (const document of compose(text, options, true)) return document;
  throw new TypeError("the composer made no document");
}

function* compose(text: string, options: YamlOptions, evenIfEmpty: boolean): Generator<YamlDocument> {
  const lines = new LineCounter();
  // The parser reports the beginning of each line but the first.
  lines.addNewLine(0);
  const composer = new Composer<ParsedNode>(options);
  for (const document of composer.compose(tokens(text, new Parser(lines.addNewLine)), evenIfEmpty, text.length)) {
    for (const error of document.errors) {
      const { line, col } = lines.linePos(error.pos[0]);
      error.message += ` at line ${line}, column ${col}`;
    }
    yield document;
  }
}

function* tokens(text: string, parser: Parser): Generator<CST.Token> {
  for (const lexeme of goLexer().lex(text)) yield* parser.next(lexeme);
  yield* parser.end();
}

/** The parts of the lexer that look at the indentation of a quoted scalar and of a flow collection. */
interface IndentedSteps {
  /** The indentation that the next line needs to belong to the current value. */
  indentNext: number;
  parseQuotedScalar(): Generator<string, unknown>;
  parseFlowCollection(): Generator<string, unknown>;
}

/** YAML 1.2 wants the lines of a quoted scalar and of a flow collection indented. Go's library lets them begin in any column. */
function goLexer(): Lexer {
  const lexer = new Lexer();
  const steps = lexer as unknown as IndentedSteps;
  for (const name of ["parseQuotedScalar", "parseFlowCollection"] as const) {
    const step = steps[name].bind(lexer);
    steps[name] = function* unindented() {
      const { indentNext } = steps;
      steps.indentNext = 0;
      const next = yield* step();
      steps.indentNext = indentNext;
      return next;
    };
  }
  return lexer;
}
