import { useScope } from '../../api/session.js';
import { useMessages } from '../../messages/messages.js';

/** Actions on the selected alerts; without any, a hint to the keys. */
export const SelectionBar = ({
  count,
  onAcknowledge,
  onResolve,
  onClear,
}: {
  readonly count: number;
  readonly onAcknowledge: () => void;
  readonly onResolve: () => void;
  readonly onClear: () => void;
}) => {
  const { alerts: texts } = useMessages();
  const mayAct = useScope('alert');
  if (count === 0)
    return (
      <div className="selection">
        <span className="muted small keys-hint">{texts.keys}</span>
      </div>
    );
  return (
    <div className="selection" data-shown>
      <strong>{texts.selected(count)}</strong>
      {mayAct && (
        <>
          <button className="button" onClick={onAcknowledge}>
            {texts.acknowledge}
          </button>
          <button className="button" onClick={onResolve}>
            {texts.resolve}
          </button>
        </>
      )}
      <button className="button quiet icon" aria-label={texts.clear} title={texts.clear} onClick={onClear}>
        ×
      </button>
    </div>
  );
};
