import { useMessages } from '../messages/messages.js';

/** A key and its value, of a line. */
export type Pair = readonly [key: string, value: string];

/** Pairs of a text, one a line; both parts are without spaces around them. Lines without a key are left out. */
export const pairsOf = (text: string, separator: string): readonly Pair[] =>
  text.split('\n').flatMap(line => {
    const [key = '', ...value] = line.split(separator);
    return key.trim() === '' ? [] : [[key.trim(), value.join(separator).trim()] as const];
  });

/** The first key that an earlier line has: the earlier value would be lost. */
const repeatedKey = (pairs: readonly Pair[]): string | undefined =>
  pairs.find(([key], index) => pairs.findIndex(([earlier]) => earlier === key) !== index)?.[0];

const rowsMax = 8;

/** A text area for pairs, one a line. Its form cannot be sent while a key is repeated. */
export const PairsArea = ({
  separator,
  value,
  onChange,
  ...others
}: {
  readonly id: string;
  readonly separator: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly maxLength?: number;
  readonly 'aria-describedby'?: string | undefined;
}) => {
  const { settings: texts } = useMessages();
  const repeated = repeatedKey(pairsOf(value, separator));
  return (
    <>
      <textarea
        {...others}
        ref={area => area?.setCustomValidity(repeated === undefined ? '' : texts.keyTaken)}
        className="input"
        rows={Math.min(rowsMax, Math.max(2, value.split('\n').length))}
        dir="auto"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      {repeated !== undefined && (
        <p className="fault" role="alert">
          {texts.repeatedKey(repeated)}
        </p>
      )}
    </>
  );
};
