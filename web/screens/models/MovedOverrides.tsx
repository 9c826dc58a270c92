import type { ModelList, MovedOverride } from '../../api/client.js';
import { modelNameOf, useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';

/** Plans that are listed. */
const shownMax = 8;

/** Plans of people that new models take over or drop. */
export const MovedOverrides = ({
  overrides,
  models,
  isDone,
}: {
  readonly overrides: readonly MovedOverride[];
  /** Models before and after, for their names in the reader's language. */
  readonly models: ModelList['models'];
  readonly isDone: boolean;
}) => {
  const { models: texts } = useMessages();
  const formats = useFormats();
  if (overrides.length === 0) return null;
  const nameOf = ({ name }: { readonly name: string }): string =>
    modelNameOf(models.find(model => model.name === name) ?? { name }, formats);
  const carried = overrides.filter(({ to }) => to !== null).length;
  return (
    <div className="stack tight">
      <p>{(isDone ? texts.plansMoved : texts.plansToMove)(carried, overrides.length - carried)}</p>
      <ul className="moved small">
        {overrides.slice(0, shownMax).map(({ date, from, to }) => (
          <li key={date}>
            <span className="muted">{formats.dayYear(date)}</span>
            <span>
              <span dir="auto">{nameOf(from)}</span> ›{' '}
              <span dir="auto">{to ? nameOf(to) : texts.dropped}</span>
            </span>
          </li>
        ))}
      </ul>
      {overrides.length > shownMax && (
        <p className="muted small">{texts.morePlans(overrides.length - shownMax)}</p>
      )}
    </div>
  );
};
