import { useEffect, useState } from 'react';
import { useMessages } from '../../messages/messages.js';

const headBytes = 2000;
const linesShown = 6;

/** The beginning of a chosen file, as it is. */
export const FirstLines = ({ file }: { readonly file: File }) => {
  const { imports: texts } = useMessages();
  const [lines, setLines] = useState<readonly string[]>([]);
  useEffect(() => {
    let current = true;
    void file
      .slice(0, headBytes)
      .text()
      .then(text => current && setLines(text.split(/\r?\n/).slice(0, linesShown)));
    return () => {
      current = false;
    };
  }, [file]);
  return (
    <figure className="first-lines">
      <figcaption className="label" dir="auto">
        {texts.firstLines(file.name)}
      </figcaption>
      <pre tabIndex={0} dir="auto">
        {lines.join('\n')}
      </pre>
    </figure>
  );
};
