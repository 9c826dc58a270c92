import { useId, type ReactNode } from 'react';
import type { Webhook } from '../../api/client.js';
import { useMessages } from '../../messages/messages.js';
import { Select } from '../../parts/Select.js';
import {
  addressOf,
  isOfAnalysis,
  kindRules,
  type MessageType,
  type Option,
  type Typed,
} from './receiverForms.js';

/** Fields, the receiver that they change if there is one, and how they change. */
type Fields = {
  readonly typed: Typed;
  readonly before: Webhook | undefined;
  readonly onChange: (next: Partial<Typed>) => void;
};

/** A field with its label and a hint. */
const Field = ({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children: (id: string, hintId: string | undefined) => ReactNode;
}) => {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id, hintId)}
      {hint !== undefined && (
        <p id={hintId} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
};

const urlMax = 2000;

const Address = ({ typed, before, onChange }: Fields) => {
  const { receivers: texts } = useMessages();
  const { kind, url } = typed;
  const kept = before === undefined ? undefined : texts.keepAddress(addressOf(before));
  return (
    <Field
      label={kind === 'mail' ? texts.mailAddress : texts.address}
      hint={[texts.addressHints[kind], kept].filter(Boolean).join(' ') || undefined}
    >
      {(id, hintId) => (
        <input
          id={id}
          type={kind === 'mail' ? 'email' : 'url'}
          className="input"
          maxLength={urlMax}
          required={before === undefined}
          spellCheck={false}
          autoComplete="off"
          aria-describedby={hintId}
          value={url}
          onChange={({ target }) => onChange({ url: target.value })}
        />
      )}
    </Field>
  );
};

const optionMax = 500;
const priorities = ['1', '2', '3', '4', '5'] as const;

/** Options that are taken away, with or without one of them. */
const withRemoved = ({ removed }: Typed, name: Option, isRemoved: boolean): readonly Option[] => [
  ...removed.filter(other => other !== name),
  ...(isRemoved ? [name] : []),
];

/** A choice of priority: what a receiver has is not answered, so it may stay as it is. */
const Priority = ({ typed, before, onChange }: Fields) => {
  const { receivers: texts } = useMessages();
  const isSet = before?.options.includes('priority') === true;
  const value = typed.removed.includes('priority') ? 'none' : typed.options.priority;
  return (
    <Field label={texts.options.priority}>
      {id => (
        <Select
          id={id}
          value={value}
          onChange={next =>
            onChange({
              options: { ...typed.options, priority: next === 'none' ? '' : next },
              removed: withRemoved(typed, 'priority', next === 'none'),
            })
          }
        >
          {isSet && <option value="">{texts.unchanged}</option>}
          <option value={isSet ? 'none' : ''}>{texts.bySeverity}</option>
          {priorities.map(priority => (
            <option key={priority} value={priority}>
              {priority}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
};

const OptionField = ({ name, ...fields }: Fields & { readonly name: Option }) => {
  const { receivers: texts } = useMessages();
  const { typed, before, onChange } = fields;
  const isNeeded = kindRules[typed.kind].needs.includes(name);
  const isSet = before?.options.includes(name) === true;
  const isRemoved = typed.removed.includes(name);
  const id = useId();
  return (
    <>
      <Field label={texts.options[name]} hint={isSet ? texts.keepOption : texts.optionHints[name]}>
        {(inputId, hintId) => (
          <input
            id={inputId}
            className="input"
            maxLength={optionMax}
            required={isNeeded && !isSet}
            disabled={isRemoved}
            spellCheck={false}
            autoComplete="off"
            aria-describedby={hintId}
            value={typed.options[name]}
            onChange={({ target }) => onChange({ options: { ...typed.options, [name]: target.value } })}
          />
        )}
      </Field>
      {isSet && !isNeeded && (
        <div className="check">
          <input
            id={id}
            type="checkbox"
            checked={isRemoved}
            onChange={({ target }) => onChange({ removed: withRemoved(typed, name, target.checked) })}
          />
          <label htmlFor={id}>{texts.removeOption(texts.options[name])}</label>
        </div>
      )}
    </>
  );
};

const levels = ['0', '0.7', '0.85'];

const Filter = ({ typed, onChange }: Fields) => {
  const { receivers: texts } = useMessages();
  const id = useId();
  const types = (Object.keys(texts.events) as MessageType[]).filter(
    type => kindRules[typed.kind].analyses || !isOfAnalysis(type),
  );
  return (
    <>
      <fieldset className="choices">
        <legend className="label">{texts.messages}</legend>
        {types.map(type => (
          <div key={type} className="check">
            <input
              id={`${id}-${type}`}
              type="checkbox"
              checked={typed.events.includes(type)}
              onChange={({ target }) =>
                onChange({
                  events: types.filter(one => (one === type ? target.checked : typed.events.includes(one))),
                })
              }
            />
            <label htmlFor={`${id}-${type}`}>{texts.events[type]}</label>
          </div>
        ))}
      </fieldset>
      <Field label={texts.minCriticity}>
        {fieldId => (
          <Select
            id={fieldId}
            value={typed.minCriticity}
            onChange={minCriticity => onChange({ minCriticity })}
          >
            {[...new Set([...levels, typed.minCriticity])].map(level => (
              <option key={level} value={level}>
                {texts.levels[level] ?? texts.level(level)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={texts.labels} hint={texts.labelsHint}>
        {(fieldId, hintId) => (
          <input
            id={fieldId}
            className="input"
            dir="auto"
            pattern="\s*([A-Za-z][A-Za-z0-9_.\-]{0,62}\s*:[^,]+(,|$)\s*)*"
            aria-describedby={hintId}
            value={typed.labels}
            onChange={({ target }) => onChange({ labels: target.value })}
          />
        )}
      </Field>
    </>
  );
};

const intervals = ['5', '15', '60', '240', '1440'];

const Times = ({ typed, onChange }: Fields) => {
  const { receivers: texts } = useMessages();
  const { digest, quietHours } = kindRules[typed.kind];
  const time = (label: string, name: 'digestAt' | 'quietFrom' | 'quietTo', required: boolean) => (
    <Field label={label}>
      {id => (
        <input
          id={id}
          type="time"
          className="input"
          required={required}
          value={typed[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      {digest && (
        <div className="pair">
          <Field label={texts.digest}>
            {id => (
              <Select
                id={id}
                value={typed.everyMinutes}
                onChange={everyMinutes => onChange({ everyMinutes })}
              >
                <option value="">{texts.atOnce}</option>
                {[...new Set([...intervals, typed.everyMinutes])].filter(Boolean).map(minutes => (
                  <option key={minutes} value={minutes}>
                    {texts.every(Number(minutes))}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          {typed.everyMinutes !== '' && time(texts.digestAt, 'digestAt', true)}
        </div>
      )}
      {quietHours && (
        <div className="pair">
          {time(texts.quietFrom, 'quietFrom', typed.quietTo !== '')}
          {time(texts.quietTo, 'quietTo', typed.quietFrom !== '')}
        </div>
      )}
    </>
  );
};

/** Fields of a receiver after its kind was chosen. */
export const ReceiverFields = (fields: Fields) => {
  const { receivers: texts } = useMessages();
  const { typed, onChange } = fields;
  const { needs, takes, language } = kindRules[typed.kind];
  return (
    <>
      <Address {...fields} />
      {[...needs, ...takes].map(name =>
        name === 'priority' ? (
          <Priority key={name} {...fields} />
        ) : (
          <OptionField key={name} name={name} {...fields} />
        ),
      )}
      {language && (
        <Field label={texts.language}>
          {id => (
            <Select
              id={id}
              value={typed.language}
              onChange={next => onChange({ language: next === 'fr' ? 'fr' : 'en' })}
            >
              <option value="en" lang="en">
                English
              </option>
              <option value="fr" lang="fr">
                Français
              </option>
            </Select>
          )}
        </Field>
      )}
      <Filter {...fields} />
      <Times {...fields} />
    </>
  );
};
