//! `settings.*` and `keys.*`: the user's choices, and keys that go in but never come out.

use super::{
    App, AppError, EventBody,
    answers::{Done, KeyStatus},
    error::ErrorCode,
    params::{KeyOf, NewKey, SettingsChange},
};
use crate::{
    secrets::SecretError,
    settings::{self, Settings, SettingsError},
};

impl App {
    /// The settings as they are now, also after another process changed them.
    pub fn settings_get(&self) -> Result<Settings, AppError> {
        let loaded = settings::load(&self.options.home)?;
        self.use_settings(&loaded.settings);
        Ok(loaded.settings)
    }

    /// Changes some settings.
    pub fn settings_update(&self, params: &SettingsChange) -> Result<Settings, AppError> {
        let settings = settings::update(&self.options.home, &params.changes)?;
        self.use_settings(&settings);
        self.tell(EventBody::SettingsChanged);
        Ok(settings)
    }

    /// Keeps a provider's key.
    pub fn keys_set(&self, params: &NewKey) -> Result<KeyStatus, AppError> {
        self.secrets.set(&params.provider, &params.key, params.session_only.unwrap_or(false))?;
        self.keys_status(&KeyOf { provider: params.provider.clone() })
    }

    /// Removes a provider's key from everywhere.
    pub fn keys_clear(&self, params: &KeyOf) -> Result<Done, AppError> {
        self.secrets.clear(&params.provider)?;
        Ok(Done { ok: true })
    }

    /// Where a provider's key is.
    pub fn keys_status(&self, params: &KeyOf) -> Result<KeyStatus, AppError> {
        let unavailable = self.secrets.unavailable();
        Ok(KeyStatus {
            provider: params.provider.clone(),
            place: self.secrets.place(&params.provider)?,
            has_keychain: unavailable.is_none(),
            detail: unavailable,
        })
    }
}

impl From<SettingsError> for AppError {
    fn from(error: SettingsError) -> AppError {
        let code = match error {
            SettingsError::Io { .. } => ErrorCode::IoError,
            SettingsError::Invalid(_) => ErrorCode::InvalidArguments,
        };
        AppError::new(code, super::error::sentence(&error.to_string()))
    }
}

impl From<SecretError> for AppError {
    fn from(error: SecretError) -> AppError {
        let code = match error {
            SecretError::Empty => ErrorCode::InvalidArguments,
            SecretError::Keychain(_) => ErrorCode::IoError,
        };
        AppError::new(code, super::error::sentence(&error.to_string()))
            .hint("Unlock the keychain, or keep the key for this session only.")
    }
}
